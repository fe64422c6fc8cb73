// The same journey with the client that @hey-api/openapi-ts makes of the document.
import { client } from "./hey/client.gen.js";
import * as api from "./hey/sdk.gen.js";

const [, , baseUrl] = process.argv;
client.setConfig({ baseUrl, auth: () => "demo-owner" });
const png = new Blob([new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])]);
let calls = 0;

/** The data of an answer that must be a success. */
function done<T>(answer: { data?: T; error?: unknown; response?: Response }): T {
  calls += 1;
  if (answer.error !== undefined || answer.response?.ok !== true) {
    throw new Error(`${answer.response?.url}: ${answer.response?.status} ${JSON.stringify(answer.error)}`);
  }
  return answer.data as T;
}

function equal<T>(found: T, wanted: T): void {
  if (found !== wanted) throw new Error(`${String(found)} is not ${String(wanted)}`);
}

const me = done(await api.getMe());
equal<string>(me.handle, "Olaf Owner");
const { channelUuid: uuid } = done(await api.createChannel({ body: { name: "Weekly" } }));
const path = { uuid };
equal(done(await api.getChannel({ path })).name, "Weekly");
done(await api.setChannelDescription({ path, body: { description: "Each week" } }));
done(await api.renameChannel({ path, query: { name: "Daily" } }));
const listed = done(await api.listChannels({ query: { limit: 5, sort: "name", order: "asc" } }));
equal("results" in listed && listed.results.some((each) => each.channelUuid === uuid), true);
done(await api.setChannelImage({ path, body: png }));
done(await api.removeChannelImage({ path }));
const { id: mediaId } = done(await api.uploadChannelMedia({ path, query: { name: "slides" }, body: png }));
equal(done(await api.getChannelMedia({ path: { uuid, mediaId } })).size, png.size);
equal(done(await api.listChannelMedia({ path, query: { sort: "name" } })).total, 1);
done(await api.getChannelMediaLink({ path: { uuid, mediaId }, query: { ttl: "5m" } }));
done(await api.getChannelMediaPoolSize({ path }));
done(await api.deleteChannelMedia({ path: { uuid, mediaId } }));
done(await api.setChannelProperty({ path: { uuid, key: "colour" }, body: { name: "green" } }));
done(await api.getChannelProperty({ path: { uuid, key: "colour" } }));
done(await api.setLobbyDoor({ path: { uuid, state: "close" } }));
done(await api.getGuestAccess({ path }));
done(await api.setUserLanguages({ path: { userId: "me" }, body: { languages: ["en"] } }));
done(await api.deleteChannel({ path }));
const gone = await api.getChannel({ path });
calls += 1;
equal(gone.error?.code, "not_found");
console.log(`a journey of ${calls} calls under strict TypeScript`);

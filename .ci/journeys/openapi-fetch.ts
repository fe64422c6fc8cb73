// A journey of an owner with openapi-fetch, over the types that openapi-typescript makes of the document.
import createClient from "openapi-fetch";
import type { components, paths } from "./api.d.ts";

type Channel = components["schemas"]["Channel"];

const [, , baseUrl] = process.argv;
const client = createClient<paths>({ baseUrl, headers: { Authorization: "Bearer demo-owner" } });
const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
let calls = 0;

/** The data of an answer that must be a success. */
function done<T>(answer: { data?: T; error?: { code: string }; response: Response }): T {
  calls += 1;
  if (answer.error !== undefined || !answer.response.ok) {
    throw new Error(`${answer.response.url}: ${answer.response.status} ${answer.error?.code}`);
  }
  return answer.data as T;
}

function equal<T>(found: T, wanted: T): void {
  if (found !== wanted) throw new Error(`${String(found)} is not ${String(wanted)}`);
}

/** Bytes go as they are; the types that are made of binary bodies are texts. */
const bytes = { bodySerializer: () => png, headers: { "Content-Type": "application/octet-stream" } };

const me = done(await client.GET("/users/me"));
equal<string>(me.handle, "Olaf Owner");
const { channelUuid: uuid } = done(await client.POST("/channels/create", { body: { name: "Weekly" } }));
const path = { uuid };
const made: Channel = done(await client.GET("/channels/{uuid}", { params: { path } }));
equal(made.name, "Weekly");
done(await client.POST("/channels/{uuid}/description", { params: { path }, body: { description: "Each week" } }));
done(await client.POST("/channels/{uuid}/rename", { params: { path, query: { name: "Daily" } } }));
const listed = done(await client.GET("/channels", { params: { query: { limit: 5, sort: "name", order: "asc" } } }));
equal("results" in listed && listed.results.some((each) => each.channelUuid === uuid), true);
done(await client.POST("/channels/{uuid}/image", { params: { path }, body: "", ...bytes }));
done(await client.DELETE("/channels/{uuid}/image", { params: { path } }));
const upload = { params: { path, query: { name: "slides" } }, body: "", ...bytes };
const { id: mediaId } = done(await client.POST("/channels/{uuid}/media", upload));
const media = done(await client.GET("/channels/{uuid}/media/{mediaId}", { params: { path: { uuid, mediaId } } }));
equal(media.size, png.length);
const pool = done(await client.GET("/channels/{uuid}/media", { params: { path, query: { sort: "name" } } }));
equal(pool.total, 1);
done(await client.GET("/channels/{uuid}/media/{mediaId}/link", { params: { path: { uuid, mediaId }, query: { ttl: "5m" } } }));
done(await client.GET("/channels/{uuid}/media/size", { params: { path } }));
done(await client.DELETE("/channels/{uuid}/media/{mediaId}", { params: { path: { uuid, mediaId } } }));
const keyed = { path: { uuid, key: "colour" } };
done(await client.POST("/channels/{uuid}/properties/{key}", { params: keyed, body: { name: "green" } }));
done(await client.GET("/channels/{uuid}/properties/{key}", { params: keyed }));
done(await client.POST("/channels/{uuid}/settings/lobby/door/{state}", { params: { path: { uuid, state: "close" } } }));
done(await client.GET("/channels/{uuid}/settings/guest/access", { params: { path } }));
done(await client.POST("/users/{userId}/languages", { params: { path: { userId: "me" } }, body: { languages: ["en"] } }));
done(await client.DELETE("/channels/{uuid}", { params: { path } }));
const gone = await client.GET("/channels/{uuid}", { params: { path } });
calls += 1;
equal(gone.error?.code, "not_found");
console.log(`a journey of ${calls} calls under strict TypeScript`);

"""The registry of bugs that can be switched on: a name and one sentence each, by the kind of mistake."""

from __future__ import annotations

GATES = {
    "wall-without-gate": "Anybody in the client may switch a channel's wall.",
    "operator-removal-without-gate": "Anybody in the client may take the operator role from a user.",
    "rename-without-host": "Anybody in the client may rename a guest.",
    "config-written-by-reader": "Whoever may read a channel's configuration may write it.",
    "origin-for-everybody": "GET /users/predefined/{originId} answers users too.",
    "any-level-granted": "A level that the caller may not give is given all the same.",
    "property-deleted-by-reader": "Who may only read channel properties can delete them, though not write.",
    "disabled-parent-ignored": "A client whose parent is disabled goes on working.",
    "terms-asked-once": "Who accepted some version of the terms is not asked to accept the current one.",
    "closed-lobby-lets-in": "Where a closed lobby makes users wait, they enter at once.",
    "friendly-found-when-off": "Channels are found by friendly URL when friendly URLs are disabled.",
}

WRONG_OBJECT = {
    "owner-of-any-channel": "The midi switch asks whether the caller owns some channel, not this one.",
    "speech2text-by-owner": "Speech to text asks for the owner of the channel instead of a Customer Admin.",
    "room-of-any-breakout": "A room is accepted under a breakout session that it does not belong to.",
    "breakout-of-any-channel": "A breakout session is accepted under an event room that it does not belong to.",
    "session-of-any-channel": "DELETE session/{id} ends a session of another channel.",
    "any-session-id-ends-active": "DELETE session/{id} with an ended session's id ends the active session.",
    "for-client-any-parent": "for_client accepts every client that has some parent.",
    "service-of-any-child": "A Partner Admin can disable clients that are not children of the own client.",
    "rename-anywhere": "A host renames guests who are not in the channel.",
}

ONE_OF_TWO_PATHS = {
    "description-limit-only-later": "The 200 characters of a description are checked on change, not on creation.",
    "unassigned-after-start": "Assignments are closed after the start, but can be taken back.",
    "guest-takes-handle": "A guest gets a handle that is taken, where guests may not.",
    "predefined-takes-handle": "A predefined user gets a handle that is taken or reserved.",
    "rename-to-taken-name": "A channel can be renamed to a taken name, though not created with it.",
    "registered-handle-changes": "POST /users/{userId}/handle changes a registered user's handle.",
    "unique-ignores-reservations": "GET /users/handle/unique looks at users, not at reservations.",
}

BOUNDARIES = {
    "populations-one-more": "201 channels are accepted in one request for populations.",
    "description-one-longer": "A description of 201 characters is accepted.",
    "handle-one-longer": "A handle may be one character longer than the limit.",
}

UNITS = {
    "channel-created-in-ms": "created in the list of channels is in milliseconds.",
    "breakout-started-in-seconds": "started of a breakout session is in seconds.",
    "sessions-from-in-seconds": "from in the list of sessions is read as seconds.",
    "ttl-days-are-hours": "A ttl in days is taken as hours.",
    "reservation-seconds-as-minutes": "A handle stays reserved for 15 hours.",
}

OLD_CREDENTIALS = {
    "old-api-token-lives": "The old value of a regenerated API token still works.",
    "deleted-api-token-lives": "An API token that was used still works after its deletion.",
    "old-invitation-lives": "A persistent invitation still works after a new one was made.",
    "expired-invitation-shown": "GET invitation returns invitations that have expired.",
    "reservation-used-twice": "A reservation token works again after it was used.",
    "old-reservation-lives": "A reservation token still works after the caller reserved the handle anew.",
    "guest-token-never-expires": "Tokens of guests do not expire.",
}

SECOND_ACTIVE = {
    "two-active-validators": "Enabling a validator leaves the one before active.",
    "two-active-breakouts": "A breakout session starts while another one runs.",
    "user-in-two-rooms": "Assigning a user to another room keeps the first assignment.",
    "friendly-url-of-two": "Two channels can have the same friendly URL.",
    "operator-listed-twice": "Making somebody operator again lists the operator twice.",
}

AUTOMATIC = {
    "breakout-never-ends": "A breakout session does not end when its duration is over.",
    "breakout-ends-late": "A breakout session ends a minute late.",
    "door-stays-open": "The door stays open when the channel becomes empty, though it closes by itself.",
    "rooms-keep-users": "When a breakout session ends its users do not return to the event room.",
    "linked-users-outlive-channel": "Users linked to a channel stay when the channel is removed.",
    "linked-user-without-invitation": "No invitation is made for a channel-linked user.",
    "ended-users-stay": "Ending a session leaves its users connected.",
}

LOST_OR_TWICE = {
    "predefined-description-lost": "The description of a predefined user is not kept.",
    "token-label-lost": "The label of an API token is not kept.",
    "exchange-forgets-picture": "The picture of an identity token is not taken over.",
    "breakout-rename-resets-duration": "Renaming a breakout session sets its duration to the default.",
    "room-channel-keeps-name": "Renaming a breakout room leaves the name of its channel.",
    "terms-counted-twice": "POST /terms/new moves the version by two.",
    "level-removal-takes-all": "Removing one level of a user removes all.",
    "owner-becomes-operator": "Making an owner operator takes the ownership away.",
    "origins-are-added": "Setting the allowed origins adds to those before.",
    "failed-create-spends-reservation": "A reservation is used up by a user creation that fails.",
    "exchange-makes-second-user": "Every exchange of an identity makes another user.",
    "config-write-replaces": "Writing a part of the configuration loses the other parts, where they are merged.",
}

CACHES = {
    "caller-levels-cached": "A user's access levels are those of the first call.",
    "channel-config-cached": "A channel's configuration does not follow changes of its client or template.",
}

MERGES = {
    "client-config-wins": "The client's configuration lies over the channel's.",
}

TENANTS = {
    "users-of-any-tenant": "GET /users/multiple returns users of other clients.",
    "media-of-any-tenant": "A media asset of another client is shown.",
    "endpoint-of-any-tenant": "An events endpoint of another client can be changed.",
    "validator-any-tenant": "A validator of another client can be enabled.",
    "recordings-of-any-tenant": "Recordings of another client's session are shown.",
    "guest-of-any-tenant": "A guest is made for a channel of another client.",
    "every-template-inherited": "Templates of the parent that are not inheritable are listed.",
    "inherited-template-written": "A child client changes the configuration of an inherited template.",
}

LISTS = {
    "users-order-ignored": "GET /users ignores sort and order.",
    "only-enabled-ignored": "GET /templates ignores onlyEnabled.",
    "has-recording-ignored": "GET /sessions ignores hasRecording.",
    "tags-all-as-any": "tags_all finds media with at least one of the tags.",
    "theme-ignored": "The theme of a configuration is ignored on reading.",
    "categories-ignored": "GET config ignores categories.",
    "breakout-session-filter-ignored": "The list of breakout sessions ignores sessionId.",
    "participants-oldest-first": "The participants of a channel come oldest first.",
    "active-forgets-quiet": "GET /channels/active leaves out channels that the caller owns and nobody is in.",
    "ties-change-by-page": "Ties in a sort come in another order on later pages.",
    "equal-keys-merged": "Of elements with the same sort key only one is listed.",
    "channels-cut-before-sort": "The page of channels is cut before the sort.",
    "media-cut-before-filter": "The page of media is cut before the search.",
    "users-total-of-page": "The total of users counts the page only.",
    "participants-total-before-search": "The total of a channel's participants does not mind the search.",
    "languages-sorted": "Languages of a user come sorted instead of best first.",
}

TEXTS = {
    "search-minds-case": "Searches distinguish capitals.",
    "handle-minds-case": "Handles that differ in case only are both accepted, where they are the same.",
    "property-keys-without-case": "Property keys that differ in case only are read as one.",
    "blank-name-accepted": "A name of blanks only is accepted.",
    "handle-blanks-kept": "Blanks around a handle are kept.",
}

SECRETS = {
    "api-tokens-unmasked": "The list of API tokens shows the tokens.",
    "validator-secret-shown": "The list of validators shows their secrets.",
    "invitation-code-listed": "The list of users shows invitation codes.",
    "media-always-public": "Uploads that are private are stored as public.",
}

BUGS: dict[str, str] = {
    **GATES,
    **WRONG_OBJECT,
    **ONE_OF_TWO_PATHS,
    **BOUNDARIES,
    **UNITS,
    **OLD_CREDENTIALS,
    **SECOND_ACTIVE,
    **AUTOMATIC,
    **LOST_OR_TWICE,
    **CACHES,
    **MERGES,
    **TENANTS,
    **LISTS,
    **TEXTS,
    **SECRETS,
}

/** Channel types of the simulator. */
export const CHANNEL = {
  text: 0,
  dm: 1,
  voice: 2,
  groupDm: 3,
  news: 5,
  newsThread: 10,
  publicThread: 11,
  privateThread: 12,
  stage: 13,
  forum: 15,
} as const;

/** Message types. */
export const MESSAGE = { plain: 0, reply: 19, command: 20, threadStarter: 21, contextMenu: 23 } as const;

/** Bits of a message's `flags`. */
export const FLAG = {
  suppressEmbeds: 1 << 2,
  hasThread: 1 << 5,
  ephemeral: 1 << 6,
  loading: 1 << 7,
  silent: 1 << 12,
  voice: 1 << 13,
  hasSnapshot: 1 << 14,
  componentsV2: 1 << 15,
} as const;

/** Types of interactions, and of their responses. */
export const INTERACTION_TYPE = { ping: 1, command: 2, component: 3, autocomplete: 4, modal: 5 } as const;
export const RESPONSE_TYPE = {
  pong: 1,
  message: 4,
  deferred: 5,
  deferredUpdate: 6,
  update: 7,
  choices: 8,
  modal: 9,
} as const;

/** Permissions that decide about a bot's requests. */
export const PERMISSION = {
  administrator: 1n << 3n,
  addReactions: 1n << 6n,
  viewChannel: 1n << 10n,
  sendMessages: 1n << 11n,
  manageMessages: 1n << 13n,
  embedLinks: 1n << 14n,
  attachFiles: 1n << 15n,
  readHistory: 1n << 16n,
  mentionEveryone: 1n << 17n,
  connect: 1n << 20n,
  useCommands: 1n << 31n,
  manageThreads: 1n << 34n,
  createPublicThreads: 1n << 35n,
  createPrivateThreads: 1n << 36n,
  sendInThreads: 1n << 38n,
  sendVoice: 1n << 46n,
  useExternalApps: 1n << 50n,
} as const;

export const ALL_PERMISSIONS = Object.values(PERMISSION).reduce((all, one) => all | one, 0n);

/** Permissions of people who are not moderators. */
export const PERSON_PERMISSIONS =
  ALL_PERMISSIONS &
  ~(
    PERMISSION.administrator |
    PERMISSION.manageMessages |
    PERMISSION.manageThreads |
    PERMISSION.mentionEveryone
  );

/** Permissions of the bot's own role: no more than `npm run discord:invite` requests, and of everyone. */
export const BOT_PERMISSIONS = PERSON_PERMISSIONS;

/** Additional permissions of the owner of a guild: administer and manage it. */
export const OWNER_PERMISSIONS = ALL_PERMISSIONS | (1n << 5n);

import * as z from 'zod/mini';

/** Which of Slack's conversations a channel is; `im` is a DM between the bot and one person, `mpim` among several. */
const kindShape = z.enum(['channel', 'group', 'im', 'mpim']);

const channelShape = z.object({
  id: z.string(),
  name: z.string(),
  kind: kindShape,
  /** Ids of people and bots. Slack tells the bot only of channels that it is a member of. */
  members: z.array(z.string()),
  /** Slack Connect: ids of the other companies' teams that share this channel. */
  connected: z.optional(z.array(z.string())),
});

const jsonShape = z.record(z.string(), z.json());

const stepShape = z.object({
  id: z.string(),
  title: z.string(),
  status: z.enum(['pending', 'in_progress', 'complete', 'error']),
  details: z.optional(z.string()),
  output: z.optional(z.string()),
  sources: z.optional(z.array(z.object({ url: z.string(), text: z.string() }))),
});

const fileShape = z.object({
  id: z.string(),
  user: z.string(),
  name: z.string(),
  /** May be empty, as Slack sends it for some voice clips. */
  mimetype: z.string(),
  filetype: z.string(),
  /** In bytes. */
  size: z.number(),
  /** Seconds since 1970. */
  created: z.number(),
  /** A clip that someone recorded in Slack. */
  clip: z.optional(z.object({ kind: z.enum(['slack_audio', 'slack_video']), durationMs: z.number() })),
  /** Slack Connect: messages name the file alone, and the rest must be asked of `files.info`. */
  withheld: z.optional(z.boolean()),
  deleted: z.optional(z.boolean()),
});

const streamShape = z.object({
  startedAt: z.number(),
  open: z.boolean(),
  stoppedBy: z.optional(z.string()),
  /** Where others are who see no more than what it began with while it is open: who sees it grow. */
  recipient: z.optional(z.string()),
  beganWith: z.optional(
    z.object({
      text: z.string(),
      steps: z.optional(z.array(stepShape)),
      plan: z.optional(z.string()),
      blocks: z.optional(z.array(jsonShape)),
    }),
  ),
});

const messageShape = z.object({
  channel: z.string(),
  ts: z.string(),
  user: z.string(),
  /** As Slack stores it: `&`, `<`, `>` are entities in people's messages, mentions are `<@U…>`. */
  text: z.string(),
  /** `text` is Markdown (`markdown_text`, streams), not Slack's own mrkdwn. */
  markdown: z.optional(z.boolean()),
  /** `ts` of the message that the thread hangs on; absent on that message itself. */
  thread: z.optional(z.string()),
  clientId: z.optional(z.string()),
  editedAt: z.optional(z.string()),
  blocks: z.optional(z.array(jsonShape)),
  metadata: z.optional(jsonShape),
  reactions: z.optional(z.array(z.object({ name: z.string(), users: z.array(z.string()) }))),
  /** Ids of the files that hang on the message. */
  files: z.optional(z.array(z.string())),
  /** Task cards of a stream. */
  steps: z.optional(z.array(stepShape)),
  /** What stands over the task cards. */
  plan: z.optional(z.string()),
  /** Present from `chat.startStream` on; `open` until stopped or updated. */
  stream: z.optional(streamShape),
  /** Only this person sees it; it is in no history. */
  ephemeralTo: z.optional(z.string()),
  /** The deleted root of a thread that still has replies. */
  tombstone: z.optional(z.boolean()),
});

const statusShape = z.object({
  channel: z.string(),
  thread: z.string(),
  /** Empty: no status. */
  words: z.string(),
  loading: z.array(z.string()),
  /** ms since 1970; Slack drops a status after two minutes. */
  until: z.number(),
});

const sessionShape = z.object({
  channel: z.string(),
  thread: z.string(),
  status: z.enum(['active', 'processing', 'suspended', 'closed']),
  title: z.optional(z.string()),
  /**
   * A status was shown since: it took the one place on the screen, and Slack's Stop with it, until the session is set anew. The Stop does
   * not come back when the status goes: "Slack keeps no stack" (agentconnect-md/agentconnect#1483, #1571).
   */
  covered: z.optional(z.boolean()),
});

const viewShape = z.object({
  id: z.string(),
  /** Who sees it. */
  user: z.string(),
  kind: z.enum(['modal', 'home']),
  view: jsonShape,
  /** Sent or closed. */
  gone: z.optional(z.boolean()),
});

const changeShape = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('channel'), channel: channelShape }),
  z.object({ kind: z.literal('message'), message: messageShape }),
  z.object({ kind: z.literal('growth'), channel: z.string(), ts: z.string(), text: z.string() }),
  z.object({ kind: z.literal('removal'), channel: z.string(), ts: z.string() }),
  z.object({ kind: z.literal('status'), status: statusShape }),
  z.object({ kind: z.literal('session'), session: sessionShape }),
  z.object({ kind: z.literal('view'), view: viewShape }),
  /** `content` is base64; those who only look get it empty. */
  z.object({ kind: z.literal('file'), file: fileShape, content: z.string() }),
]);

export type Channel = z.infer<typeof channelShape>;
export type Message = z.infer<typeof messageShape>;
export type Step = z.infer<typeof stepShape>;
export type Status = z.infer<typeof statusShape>;
/** What the app said of its work in a thread, by `agents.sessions.setStatus` or by a stream. */
export type Session = z.infer<typeof sessionShape>;
/** A modal that is open, or an App Home. */
export type View = z.infer<typeof viewShape>;
export type FileRecord = z.infer<typeof fileShape>;
/** One thing that happened. The page draws changes, the journal keeps them, and a state is the sum of them. */
export type Change = z.infer<typeof changeShape>;
export type Json = z.infer<typeof jsonShape>;

export const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A JSON value that is a text; empty for any other. */
export const stringOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Reads a change that was written as JSON; undefined for anything else. */
export function parseChange(value: unknown): Change | undefined {
  const parsed = changeShape.safeParse(value);
  return parsed.success ? parsed.data : undefined;
}

/** Everything that a workspace holds. */
export type State = {
  readonly channels: Map<string, Channel>;
  /** By channel, then by ts, in the order of posting. */
  readonly messages: Map<string, Map<string, Message>>;
  readonly statuses: Map<string, Status>;
  readonly sessions: Map<string, Session>;
  /** By id; the modal that was opened last is on top. */
  readonly views: Map<string, View>;
  /** By id; `content` is base64. */
  readonly files: Map<string, { readonly file: FileRecord; readonly content: string }>;
};

export const emptyState = (): State => ({
  channels: new Map(),
  messages: new Map(),
  statuses: new Map(),
  sessions: new Map(),
  views: new Map(),
  files: new Map(),
});

/** Forgets all that was said; the channels stay. */
export function clearTalk(state: State): void {
  for (const map of [state.messages, state.statuses, state.sessions, state.files, state.views]) map.clear();
}

/** Adds one change to the state. A change about something unknown is ignored. */
export function applyChange(state: State, change: Change): void {
  switch (change.kind) {
    case 'channel':
      state.channels.set(change.channel.id, change.channel);
      return;
    case 'message':
      messagesOf(state, change.message.channel).set(change.message.ts, change.message);
      return;
    case 'growth': {
      const grown = state.messages.get(change.channel)?.get(change.ts);
      if (grown)
        messagesOf(state, change.channel).set(change.ts, { ...grown, text: grown.text + change.text });
      return;
    }
    case 'removal':
      state.messages.get(change.channel)?.delete(change.ts);
      return;
    case 'status': {
      const key = statusKey(change.status.channel, change.status.thread);
      if (change.status.words === '') state.statuses.delete(key);
      else state.statuses.set(key, change.status);
      return;
    }
    case 'session':
      state.sessions.set(statusKey(change.session.channel, change.session.thread), change.session);
      return;
    case 'view':
      if (change.view.gone) state.views.delete(change.view.id);
      else state.views.set(change.view.id, change.view);
      return;
    case 'file':
      state.files.set(change.file.id, { file: change.file, content: change.content });
  }
}

/** The shortest list of changes that makes this state again. */
export function changesOf(state: State): Change[] {
  const changes: Change[] = [...state.channels.values()].map((channel) => ({ kind: 'channel', channel }));
  for (const { file, content } of state.files.values()) changes.push({ kind: 'file', file, content });
  for (const inChannel of state.messages.values()) {
    for (const message of inChannel.values()) changes.push({ kind: 'message', message });
  }
  for (const status of state.statuses.values()) changes.push({ kind: 'status', status });
  for (const session of state.sessions.values()) changes.push({ kind: 'session', session });
  for (const view of state.views.values()) changes.push({ kind: 'view', view });
  return changes;
}

export const statusKey = (channel: string, thread: string): string => `${channel}/${thread}`;

/** The replies to a message, oldest first, without the message itself. */
export function repliesTo(state: State, channel: string, root: string): Message[] {
  const inChannel = state.messages.get(channel)?.values() ?? [];
  return [...inChannel].filter((message) => message.thread === root && message.ephemeralTo === undefined);
}

function messagesOf(state: State, channel: string): Map<string, Message> {
  const known = state.messages.get(channel);
  if (known) return known;
  const fresh = new Map<string, Message>();
  state.messages.set(channel, fresh);
  return fresh;
}

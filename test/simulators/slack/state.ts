import * as v from 'valibot';
import { jsonObject } from '../json-schema.ts';

/** The conversation type of a channel; `im` is a DM between the bot and one person, `mpim` with several. */
const kindShape = v.picklist(['channel', 'group', 'im', 'mpim']);

const channelShape = v.object({
  id: v.string(),
  name: v.string(),
  kind: kindShape,
  /** Ids of people and bots. Slack sends the bot only events of channels with the bot. */
  members: v.array(v.string()),
  /** Slack Connect: ids of the other organizations that share this channel. */
  connected: v.optional(v.array(v.string())),
  /** Nobody writes there any more; what was written can be read. */
  archived: v.optional(v.boolean()),
});

const jsonShape = jsonObject;

const stepShape = v.object({
  id: v.string(),
  title: v.string(),
  status: v.picklist(['pending', 'in_progress', 'complete', 'error']),
  details: v.optional(v.string()),
  output: v.optional(v.string()),
  sources: v.optional(v.array(v.object({ url: v.string(), text: v.string() }))),
});

const fileShape = v.object({
  id: v.string(),
  user: v.string(),
  name: v.string(),
  /** May be empty, as Slack sends it for some voice clips. */
  mimetype: v.string(),
  filetype: v.string(),
  /** In bytes. */
  size: v.number(),
  /** Seconds since 1970. */
  created: v.number(),
  /** A clip that a person recorded in Slack. */
  clip: v.optional(v.object({ kind: v.picklist(['slack_audio', 'slack_video']), durationMs: v.number() })),
  /** Slack Connect: messages contain only the file id, and `files.info` has the rest. */
  withheld: v.optional(v.boolean()),
  deleted: v.optional(v.boolean()),
  /** A canvas, and who may read it besides its owner. */
  canvas: v.optional(v.object({ channels: v.array(v.string()), users: v.array(v.string()) })),
});

const streamShape = v.object({
  startedAt: v.number(),
  open: v.boolean(),
  stoppedBy: v.optional(v.string()),
  /** The person who sees an open stream grow, where others see only its start. */
  recipient: v.optional(v.string()),
  beganWith: v.optional(
    v.object({
      text: v.string(),
      steps: v.optional(v.array(stepShape)),
      plan: v.optional(v.string()),
      blocks: v.optional(v.array(jsonShape)),
    }),
  ),
});

const messageShape = v.object({
  channel: v.string(),
  ts: v.string(),
  user: v.string(),
  /** As Slack stores it: `&`, `<`, `>` are entities in people's messages, mentions are `<@U…>`. */
  text: v.string(),
  /** `text` is Markdown (`markdown_text`, streams), not Slack's own mrkdwn. */
  markdown: v.optional(v.boolean()),
  /** `ts` of the thread's root; absent on the root itself. */
  thread: v.optional(v.string()),
  clientId: v.optional(v.string()),
  editedAt: v.optional(v.string()),
  blocks: v.optional(v.array(jsonShape)),
  metadata: v.optional(jsonShape),
  reactions: v.optional(v.array(v.object({ name: v.string(), users: v.array(v.string()) }))),
  /** Ids of the attached files. */
  files: v.optional(v.array(v.string())),
  /** A message that was forwarded, a table that was pasted. */
  attachments: v.optional(v.array(jsonShape)),
  /** Task cards of a stream. */
  steps: v.optional(v.array(stepShape)),
  /** The title above the task cards. */
  plan: v.optional(v.string()),
  /** Present from `chat.startStream` on; `open` until stopped or updated. */
  stream: v.optional(streamShape),
  /** Only this person sees it; it is in no history. */
  ephemeralTo: v.optional(v.string()),
  /** The deleted root of a thread that still has replies. */
  tombstone: v.optional(v.boolean()),
});

const statusShape = v.object({
  channel: v.string(),
  thread: v.string(),
  /** Empty: no status. */
  words: v.string(),
  loading: v.array(v.string()),
  /** ms since 1970; Slack removes a status after two minutes. */
  until: v.number(),
});

const sessionShape = v.object({
  channel: v.string(),
  thread: v.string(),
  status: v.picklist(['active', 'processing', 'suspended', 'closed']),
  title: v.optional(v.string()),
  /**
   * A status was shown since: it took the one place on the screen, and Slack's Stop with it, until the session is set anew. The Stop does
   * not come back when the status goes: "Slack keeps no stack" (agentconnect-md/agentconnect#1483, #1571).
   */
  covered: v.optional(v.boolean()),
});

const viewShape = v.object({
  id: v.string(),
  /** The person who sees it. */
  user: v.string(),
  kind: v.picklist(['modal', 'home']),
  view: jsonShape,
  /** Submitted or closed. */
  gone: v.optional(v.boolean()),
});

const changeShape = v.variant('kind', [
  v.object({ kind: v.literal('channel'), channel: channelShape }),
  v.object({ kind: v.literal('message'), message: messageShape }),
  v.object({ kind: v.literal('growth'), channel: v.string(), ts: v.string(), text: v.string() }),
  v.object({ kind: v.literal('removal'), channel: v.string(), ts: v.string() }),
  /** The channel is deleted, with its messages. */
  v.object({ kind: v.literal('channel-removal'), channel: v.string() }),
  v.object({ kind: v.literal('status'), status: statusShape }),
  v.object({ kind: v.literal('session'), session: sessionShape }),
  v.object({ kind: v.literal('view'), view: viewShape }),
  /** `content` is base64; empty on the page. */
  v.object({ kind: v.literal('file'), file: fileShape, content: v.string() }),
]);

export type Channel = v.InferOutput<typeof channelShape>;
export type Message = v.InferOutput<typeof messageShape>;
export type Step = v.InferOutput<typeof stepShape>;
export type Status = v.InferOutput<typeof statusShape>;
/** The app's status in a thread, set by `agents.sessions.setStatus` or by a stream. */
export type Session = v.InferOutput<typeof sessionShape>;
/** An open modal, or an App Home. */
export type View = v.InferOutput<typeof viewShape>;
export type FileRecord = v.InferOutput<typeof fileShape>;
/** One change. The page shows changes, the journal stores them, and a state is the sum of them. */
export type Change = v.InferOutput<typeof changeShape>;
export type Json = v.InferOutput<typeof jsonShape>;

export const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value if it is a string; otherwise empty. */
export const stringOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Parses a change from JSON; undefined for anything else. */
export function parseChange(value: unknown): Change | undefined {
  const parsed = v.safeParse(changeShape, value);
  return parsed.success ? parsed.output : undefined;
}

/** The state of a workspace. */
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

/** Removes all messages; the channels stay. */
export function clearTalk(state: State): void {
  for (const map of [state.messages, state.statuses, state.sessions, state.files, state.views]) map.clear();
}

/** Applies one change to the state. A change of an unknown object is ignored. */
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
    case 'channel-removal':
      state.channels.delete(change.channel);
      state.messages.delete(change.channel);
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

/** The shortest list of changes that rebuilds this state. */
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
  const messages = state.messages.get(channel);
  if (messages) return messages;
  const fresh = new Map<string, Message>();
  state.messages.set(channel, fresh);
  return fresh;
}

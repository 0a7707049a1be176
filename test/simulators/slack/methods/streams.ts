import * as v from 'valibot';
import { jsonObject } from '../../json-schema.ts';
import { type Args, metadataArg, objects, only, optional, required } from '../args.ts';
import { checkMessageBlocks } from '../blocks.ts';
import { emitChanged, emitPosted } from '../events.ts';
import { personOf } from '../identity.ts';
import { presentMessage } from '../present.ts';
import type { Channel, Json, Message, Step } from '../state.ts';
import {
  type ApiSuccess,
  isStreaming,
  messageAt,
  writableChannel,
  record,
  RefusalError,
  type SimulatorContext,
} from '../context.ts';
import { bytesOf, MARKDOWN_LIMIT, newMessage } from './posting.ts';
import { sessionStatus, setSessionByStream } from './sessions.ts';
import { clearStatus } from './threads.ts';

/** Slack closes a stream about five minutes after its start, even while text arrives. */
export const SEAL_AFTER_MS = 5 * 60_000;

/**
 * What a stream holds in all, in UTF-8 bytes. Slack documents no number; live probes were refused between 10,600 and 11,300
 * (openclaw/openclaw#143882), and the simulator takes the lower end.
 */
export const STREAM_LIMIT_BYTES = 10_600;
/** Details and output of a task card are rendered as rich text, and count double (same probes). */
const RICH_TEXT_WEIGHT = 2;

/** Previews cannot be switched off for streams: slackapi/node-slack-sdk#2389 removed `unfurl_…` "to align with the backend". */
const START = new Set([
  'channel',
  'chunks',
  'icon_emoji',
  'icon_url',
  'markdown_text',
  'recipient_team_id',
  'recipient_user_id',
  'task_display_mode',
  'thread_ts',
  'username',
]);
const APPEND = new Set(['channel', 'chunks', 'markdown_text', 'ts']);
const STOP = new Set([...APPEND, 'blocks', 'metadata', 'session_status']);

/**
 * Opens a streaming message. Outside DMs Slack wants to know who asked, and in DMs which message is answered. "The user to
 * receive the streaming text" (the reference, `recipient_user_id`) sees it grow; people report from live workspaces that all
 * others see what it began with until it is finalised (agentconnect-md/agentconnect#1494).
 */
export function startStream(context: SimulatorContext, args: Args): ApiSuccess {
  only(args, START);
  const channel = writableChannel(context, required(args, 'channel'));
  const thread = optional(args, 'thread_ts');
  if (channel.kind !== 'im') checkRecipient(context, args);
  else if (thread === undefined) throw new RefusalError('channel_type_not_supported');
  if (thread !== undefined && !isRoot(context, channel, thread)) throw new RefusalError('invalid_thread_ts');
  const added = additionOf(args);
  checkTotal({ text: '' }, added);
  const beganWith = { text: added.text, ...withAddition({}, added) };
  const recipient = optional(args, 'recipient_user_id');
  const alone = channel.kind === 'im' || recipient === undefined;
  const started = newMessage(context, channel, {
    ...beganWith,
    markdown: true,
    ...(thread === undefined ? {} : { thread }),
    stream: { startedAt: context.now(), open: true, ...(alone ? {} : { recipient, beganWith }) },
  });
  record(context, { kind: 'message', message: started });
  if (thread !== undefined) {
    clearStatus(context, channel, thread);
    setSessionByStream(context, channel, thread, 'processing');
  }
  emitPosted(context, channel, started);
  return { ok: true, channel: channel.id, ts: started.ts };
}

/**
 * Appends to a streaming message. A stream that ended or was closed responds with `message_not_in_streaming_state`.
 */
export function appendStream(context: SimulatorContext, args: Args): ApiSuccess {
  only(args, APPEND);
  const channel = writableChannel(context, required(args, 'channel'));
  const message = streamAt(context, channel, required(args, 'ts'));
  const added = additionOf(args);
  const words = added.steps.length === 0 && added.blocks.length === 0 && added.plan === undefined;
  if (added.text === '' && words) throw new RefusalError('no_text');
  checkTotal(message, added);
  if (words) {
    record(context, { kind: 'growth', channel: channel.id, ts: message.ts, text: added.text });
  } else {
    const text = message.text + added.text;
    record(context, { kind: 'message', message: { ...message, ...withAddition(message, added), text } });
  }
  return { ok: true, channel: channel.id, ts: message.ts };
}

/** Stops a stream, with optional last text, blocks and metadata; its session is then `active` by default. */
export function stopStream(context: SimulatorContext, args: Args): ApiSuccess {
  only(args, STOP);
  const channel = writableChannel(context, required(args, 'channel'));
  const message = streamAt(context, channel, required(args, 'ts'));
  const added = additionOf(args);
  const blocks = objects(args, 'blocks', 'invalid_blocks') ?? [];
  const metadata = metadataArg(args);
  const status = sessionStatus(optional(args, 'session_status') ?? 'active');
  checkTotal(message, added, blocks);
  const before = presentMessage(context, message);
  const after: Message = {
    ...message,
    ...withAddition(message, added, blocks),
    text: message.text + added.text,
    ...(metadata ? { metadata } : {}),
    stream: { startedAt: message.stream?.startedAt ?? context.now(), open: false },
  };
  record(context, { kind: 'message', message: after });
  emitChanged(context, channel, before, after);
  if (message.thread !== undefined) setSessionByStream(context, channel, message.thread, status);
  return { ok: true, channel: channel.id, ts: after.ts, message: presentMessage(context, after, true) };
}

function checkRecipient(context: SimulatorContext, args: Args): void {
  const team = optional(args, 'recipient_team_id');
  if (team === undefined) throw new RefusalError('missing_recipient_team_id');
  const user = optional(args, 'recipient_user_id');
  if (user === undefined) throw new RefusalError('missing_recipient_user_id');
  const { identity } = context;
  // For a person of another organization Slack requires their own team id.
  const teams = [identity.teamId, ...identity.users.map((person) => person.teamId)];
  if (!teams.includes(team)) throw new RefusalError('team_not_found');
  const person = personOf(identity, user);
  if (!person || (person.teamId ?? identity.teamId) !== team) throw new RefusalError('user_not_found');
}

function isRoot(context: SimulatorContext, channel: Channel, ts: string): boolean {
  const root = context.state.messages.get(channel.id)?.get(ts);
  return root !== undefined && root.thread === undefined && root.ephemeralTo === undefined;
}

function streamAt(context: SimulatorContext, channel: Channel, ts: string): Message {
  const message = messageAt(context, channel, ts);
  if (message.user !== context.identity.botUserId) throw new RefusalError('message_not_owned_by_app');
  if (message.stream?.stoppedBy !== undefined) throw new RefusalError('stopped_by_user');
  if (!isStreaming(context, message)) throw new RefusalError('message_not_in_streaming_state');
  return message;
}

/** The blocks of all chunks are validated as those of one message. */
function checkTotal(
  message: Pick<Message, 'text' | 'blocks' | 'steps' | 'plan'>,
  added: Addition,
  last: readonly Json[] = [],
): void {
  checkMessageBlocks([...(message.blocks ?? []), ...added.blocks, ...last], 'msg_blocks_too_many');
  const text = message.text + added.text;
  const size = sizeOf(text, withAddition(message, added));
  // Cards alone are accepted at any size: the probes were refused only for messages with text.
  if (text !== '' && size > STREAM_LIMIT_BYTES) throw new RefusalError('msg_too_long');
}

/** The current content counts, not what was sent: a replaced title counts once. */
function sizeOf(text: string, { steps = [], plan = '' }: Shown): number {
  const cards = steps.map(
    ({ title, details = '', output = '' }) => bytesOf(title) + RICH_TEXT_WEIGHT * bytesOf(details + output),
  );
  return cards.reduce((sum, size) => sum + size, bytesOf(text) + bytesOf(plan));
}

type Addition = { text: string; steps: Step[]; plan?: string; blocks: Json[] };

const short = v.pipe(v.string(), v.maxLength(256));
const taskShape = v.object({
  type: v.literal('task_update'),
  id: v.pipe(short, v.minLength(1)),
  title: v.pipe(short, v.minLength(1)),
  status: v.picklist(['pending', 'in_progress', 'complete', 'error']),
  details: v.optional(v.string()),
  output: v.optional(v.string()),
  sources: v.optional(v.array(v.object({ type: v.literal('url'), url: v.string(), text: v.string() }))),
});
const chunkShape = v.variant('type', [
  v.object({ type: v.literal('markdown_text'), text: v.string() }),
  taskShape,
  v.object({ type: v.literal('plan_update'), title: v.pipe(short, v.minLength(1)) }),
  v.object({ type: v.literal('blocks'), blocks: v.array(jsonObject) }),
]);

function additionOf(args: Args): Addition {
  const added: Addition = { text: optional(args, 'markdown_text') ?? '', steps: [], blocks: [] };
  for (const raw of objects(args, 'chunks', 'invalid_chunks') ?? []) {
    const chunk = v.safeParse(chunkShape, raw);
    if (!chunk.success) throw new RefusalError('invalid_chunks');
    if (chunk.output.type === 'markdown_text') added.text += chunk.output.text;
    if (chunk.output.type === 'blocks') added.blocks.push(...chunk.output.blocks);
    if (chunk.output.type === 'task_update') added.steps.push(stepOf(chunk.output));
    if (chunk.output.type === 'plan_update') added.plan = chunk.output.title;
  }
  if (added.text.length > MARKDOWN_LIMIT) throw new RefusalError('msg_too_long');
  return added;
}

function stepOf({ type: _type, sources, ...step }: v.InferOutput<typeof taskShape>): Step {
  return sources ? { ...step, sources: sources.map(({ url, text }) => ({ url, text })) } : step;
}

type Shown = Pick<Message, 'steps' | 'plan' | 'blocks'>;

/**
 * A task card of a known id gets the new title and state; details and output are added to what stands there (measured live:
 * openclaw/openclaw#125168). Blocks pile up below the text.
 */
function withAddition(to: Shown, added: Addition, last: readonly Json[] = []): Shown {
  const steps = new Map((to.steps ?? []).map((step) => [step.id, step]));
  for (const step of added.steps) steps.set(step.id, grown(steps.get(step.id), step));
  const blocks = [...(to.blocks ?? []), ...added.blocks, ...last];
  const plan = added.plan ?? to.plan;
  return {
    ...(plan === undefined ? {} : { plan }),
    ...(steps.size > 0 ? { steps: [...steps.values()] } : {}),
    ...(blocks.length > 0 ? { blocks } : {}),
  };
}

function grown(before: Step | undefined, { details, output, ...step }: Step): Step {
  const added = {
    details: (before?.details ?? '') + (details ?? ''),
    output: (before?.output ?? '') + (output ?? ''),
  };
  return {
    ...before,
    ...step,
    ...(added.details === '' ? {} : { details: added.details }),
    ...(added.output === '' ? {} : { output: added.output }),
  };
}

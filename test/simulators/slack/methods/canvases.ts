import * as v from 'valibot';
import { type Args, jsonArg, only, optional, required } from '../args.ts';
import { MAX_CONTENT_LENGTH, refusedContent } from '../canvas-content.ts';
import { type ApiSuccess, record, RefusalError, type SimulatorContext } from '../context.ts';
import { eventIdOf } from '../ticks.ts';
import type { FileRecord } from '../state.ts';

const content = v.strictObject({ type: v.literal('markdown'), markdown: v.string() });
/** One change; of the operations only the one on the whole canvas. */
const changes = v.strictTuple([
  v.strictObject({ operation: v.literal('replace'), document_content: content }),
]);
/** One channel or person per request (docs.slack.dev/reference/methods/canvases.access.set). */
const ids = v.pipe(v.array(v.string()), v.length(1));

function invalid(why: string): never {
  throw new RefusalError('invalid_arguments', { response_metadata: { messages: [`[ERROR] ${why}`] } });
}

function parsed<T>(schema: v.GenericSchema<unknown, T>, args: Args, name: string): T | undefined {
  const value = jsonArg(args, name, 'invalid_arguments');
  if (value === undefined) return undefined;
  const { success, output } = v.safeParse(schema, value);
  return success ? output : invalid(`failed to match exactly one allowed schema [json-pointer:/${name}]`);
}

function checkContent({ markdown }: v.InferOutput<typeof content>, code: string): void {
  if (markdown.length > MAX_CONTENT_LENGTH) invalid('must be less than 1048577 characters');
  const detail = refusedContent(markdown);
  if (detail !== undefined) throw new RefusalError(code, { detail });
}

function canvasOf(context: SimulatorContext, args: Args) {
  const file = context.state.files.get(required(args, 'canvas_id'))?.file;
  if (!file?.canvas || file.deleted) throw new RefusalError('canvas_not_found');
  if (file.user !== context.identity.botUserId) throw new RefusalError('restricted_action');
  return { ...file, canvas: file.canvas };
}

const save = (context: SimulatorContext, file: FileRecord, markdown: string): void =>
  record(context, {
    kind: 'file',
    file: { ...file, size: Buffer.byteLength(markdown) },
    content: Buffer.from(markdown).toString('base64'),
  });

/** Creates a canvas of the bot. On a free plan, only as a tab of a channel. */
export function createCanvas(context: SimulatorContext, args: Args): ApiSuccess {
  only(args, new Set(['title', 'document_content', 'channel_id']));
  const { canvases = 'all', botUserId } = context.identity;
  if (canvases === 'off') throw new RefusalError('canvas_disabled_user_team');
  if (optional(args, 'channel_id') !== undefined) invalid('tabs of channels are not simulated');
  if (canvases === 'tabs') throw new RefusalError('free_teams_cannot_create_non_tabbed_canvases');
  const document = parsed(content, args, 'document_content');
  if (document) checkContent(document, 'canvas_creation_failed');
  const id = eventIdOf(context.ticks.next(), context.nth).replace(/^Ev/, 'F');
  const file: FileRecord = {
    id,
    user: botUserId,
    name: optional(args, 'title') ?? 'Untitled',
    mimetype: 'application/vnd.slack-docs',
    filetype: 'quip',
    size: 0,
    created: Math.floor(context.now() / 1_000),
    canvas: { channels: [], users: [] },
  };
  save(context, file, document?.markdown ?? '');
  return { ok: true, canvas_id: id };
}

/** Replaces the content of a canvas. */
export function editCanvas(context: SimulatorContext, args: Args): ApiSuccess {
  only(args, new Set(['canvas_id', 'changes']));
  const file = canvasOf(context, args);
  const [change] = parsed(changes, args, 'changes') ?? invalid('missing required field: changes');
  checkContent(change.document_content, 'canvas_editing_failed');
  save(context, file, change.document_content.markdown);
  return { ok: true };
}

/** Shares a canvas with channels or people, not with direct and group messages. */
export function setCanvasAccess(context: SimulatorContext, args: Args): ApiSuccess {
  only(args, new Set(['canvas_id', 'access_level', 'channel_ids', 'user_ids']));
  const file = canvasOf(context, args);
  if (required(args, 'access_level') !== 'read') invalid('only reading is simulated');
  const channels = parsed(ids, args, 'channel_ids');
  const users = parsed(ids, args, 'user_ids');
  if ((channels === undefined) === (users === undefined)) throw new RefusalError('invalid_parameters');
  for (const id of channels ?? []) {
    const channel = context.state.channels.get(id);
    if (
      !channel ||
      (channel.kind !== 'channel' && channel.kind !== 'group') ||
      !channel.members.includes(file.user)
    )
      throw new RefusalError('channel_not_found');
  }
  if (users?.some((id) => !context.identity.users.some((person) => person.id === id)))
    throw new RefusalError('user_not_found');
  const canvas = {
    channels: [...new Set([...file.canvas.channels, ...(channels ?? [])])],
    users: [...new Set([...file.canvas.users, ...(users ?? [])])],
  };
  const stored = context.state.files.get(file.id)?.content ?? '';
  record(context, { kind: 'file', file: { ...file, canvas }, content: stored });
  return { ok: true };
}

/** Deletes a canvas of the bot. */
export function deleteCanvas(context: SimulatorContext, args: Args): ApiSuccess {
  only(args, new Set(['canvas_id']));
  const file = canvasOf(context, args);
  record(context, { kind: 'file', file: { ...file, deleted: true }, content: '' });
  return { ok: true };
}

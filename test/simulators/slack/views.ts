import { emitHome } from './events.ts';
import { installationOf, personIn, trigger, type Interaction } from './interaction-payloads.ts';
import { type Args, jsonArg, optional, required } from './args.ts';
import { checkBlocks } from './blocks.ts';
import { presentBlocks } from './block-ids.ts';
import { isJson, type Json, stringOf, type View } from './state.ts';
import { isText, lengthOf } from './texts.ts';
import { teamOf } from './identity.ts';
import { hashOf } from './ticks.ts';
import { type ApiSuccess, channelNamed, record, RefusalError, type SimulatorContext } from './context.ts';

/** Limits of views (docs.slack.dev/surfaces/modals and /reference/views). */
const TITLE = 24;
const METADATA = 3_000;
const MAX_BLOCKS = 100;
const DEEPEST = 3;
/** In bytes of JSON. Slack says 250 KB (docs.slack.dev/reference/methods/views.open, `view_too_large`). */
const MAX_BYTES = 250_000;

/** Opens a modal for the person of a trigger, once, within three seconds of their action. */
export function openView(context: SimulatorContext, args: Args): ApiSuccess {
  const user = spend(context, required(args, 'trigger_id'));
  return saveView(context, user, viewIn(args, 'modal'));
}

/** As `openView`, on top of the open modal: at most three deep. */
export function pushView(context: SimulatorContext, args: Args): ApiSuccess {
  const user = spend(context, required(args, 'trigger_id'));
  const below = modalsOf(context, user);
  if (below.length >= DEEPEST) throw new RefusalError('push_limit_reached');
  return saveView(context, user, viewIn(args, 'modal'), { below });
}

/** Replaces the content of an open view; with an old `hash` it fails (`hash_conflict`). */
export function updateView(context: SimulatorContext, args: Args): ApiSuccess {
  const id = required(args, 'view_id');
  const open = context.state.views.get(id);
  if (!open) throw new RefusalError('not_found');
  const hash = optional(args, 'hash');
  if (hash !== undefined && hash !== open.view['hash']) throw new RefusalError('hash_conflict');
  return saveView(context, open.user, viewIn(args, open.kind), { id, before: open.view });
}

/** Publishes a person's App Home. */
export function publishView(context: SimulatorContext, args: Args): ApiSuccess {
  const user = required(args, 'user_id');
  if (!context.identity.users.some(({ id }) => id === user)) throw new RefusalError('user_not_found');
  return saveView(context, user, viewIn(args, 'home'), { id: homeId(context, user) });
}

/** The open modals of a person, the top one last. */
export const modalsOf = (context: SimulatorContext, user: string): View[] =>
  [...context.state.views.values()].filter((one) => one.kind === 'modal' && one.user === user);

/** A person opens the Home tab of the app. */
export const openHome = (context: SimulatorContext, user: string): void =>
  emitHome(context, channelNamed(context, user), user);

/** Values that a person typed or selected, by the `block_id` of inputs. */
export type Filled = Readonly<Record<string, string>>;

/**
 * Builds the `view_submission` payload of a person's modal. Throws for what Slack's client would not send: a missing
 * or too long input, or an unknown option.
 */
export function submission(context: SimulatorContext, user: string, filled: Filled): Interaction {
  const open = modalsOf(context, user).at(-1);
  if (!open) throw new Error(`${user} has no form open`);
  const values: Json = {};
  for (const block of listOf(open.view['blocks'])) {
    if (block['type'] !== 'input' || !isJson(block['element'])) continue;
    const id = stringOf(block['block_id']);
    const state = stateOf(block, block['element'], filled[id]);
    values[id] = { [stringOf(block['element']['action_id'])]: state };
  }
  for (const id of Object.keys(filled)) if (!(id in values)) throw new Error(`No such input: ${id}`);
  return {
    type: 'view_submission',
    ...personIn(context, user),
    trigger_id: trigger(context, user),
    ...viewerIn(context, user),
    view: { ...open.view, state: { values } },
    response_urls: [],
  };
}

/** The modal on top is removed: submitted or closed. */
export function closeView(context: SimulatorContext, user: string): void {
  const open = modalsOf(context, user).at(-1);
  if (open) record(context, { kind: 'view', view: { ...open, gone: true } });
}

/** The payload of a closed modal, if the app requested it (`notify_on_close`). */
export function closing(context: SimulatorContext, user: string): Interaction | undefined {
  const open = modalsOf(context, user).at(-1);
  if (open?.view['notify_on_close'] !== true) return undefined;
  const view = open.view;
  return {
    type: 'view_closed',
    ...personIn(context, user),
    ...viewerIn(context, user),
    view,
    is_cleared: false,
  };
}

/**
 * Of a view, `team` is the workspace of who has it open: of somebody from another company not the one that has the app, which
 * the view alone names (slackapi/bolt-js#1614).
 */
function viewerIn(context: SimulatorContext, user: string): Json {
  const team = teamOf(context.identity, user);
  if (team === context.identity.teamId) return installationOf(context);
  return { ...installationOf(context), team: { id: team, domain: 'other-side' }, enterprise: null };
}

function stateOf(block: Json, element: Json, content: string | undefined): Json {
  const type = stringOf(element['type']);
  const initial = isJson(element['initial_option'])
    ? stringOf(element['initial_option']['value'])
    : undefined;
  const value = content ?? initial ?? stringOf(element['initial_value']);
  if (value === '' && block['optional'] !== true)
    throw new Error(`${stringOf(block['block_id'])} is missing`);
  if (type === 'plain_text_input') {
    const maxLength = Number(element['max_length'] ?? 3_000);
    if (value.length > maxLength)
      throw new Error(`${stringOf(block['block_id'])} is longer than ${maxLength}`);
    return { type, value: value === '' ? null : value };
  }
  const option = listOf(element['options']).find((one) => one['value'] === value);
  if (!option && value !== '') throw new Error(`No such option: ${value}`);
  return { type, selected_option: option ?? null };
}

/** A trigger opens one view, within three seconds. */
function spend(context: SimulatorContext, id: string): string {
  const entry = context.triggers.get(id);
  if (!entry) throw new RefusalError('invalid_trigger_id');
  if (entry.until <= context.now()) throw new RefusalError('expired_trigger_id');
  if (entry.spent) throw new RefusalError('exchanged_trigger_id');
  context.triggers.set(id, { ...entry, spent: true });
  return entry.user;
}

const homeId = (context: SimulatorContext, user: string): string =>
  `V${hashOf(`${context.identity.teamId}/${user}`, 10)}`;

type Position = {
  /** Of a view that is there already, or has an id by its kind. */
  readonly id?: string;
  readonly before?: Json;
  /** The modals below it. */
  readonly below?: readonly View[];
};

/** Fields that Slack adds to every view (bolt-python's view_submission). */
const EVERY_VIEW = {
  close: null,
  submit: null,
  clear_on_close: false,
  notify_on_close: false,
  external_id: '',
};
const HOME_TITLE = { type: 'plain_text', text: 'View Title', emoji: true };

function saveView(
  context: SimulatorContext,
  user: string,
  payload: Json,
  position: Position = {},
): ApiSuccess {
  const { id, before, below = [] } = position;
  const kind = payload['type'] === 'home' ? 'home' : 'modal';
  const tick = context.ticks.next();
  const own = id ?? `V${hashOf(`${context.identity.teamId}/${tick}`, 10)}`;
  const view: Json = {
    ...EVERY_VIEW,
    ...(kind === 'home' ? { title: HOME_TITLE } : {}),
    ...payload,
    root_view_id: before?.['root_view_id'] ?? below[0]?.id ?? own,
    previous_view_id: before?.['previous_view_id'] ?? below.at(-1)?.id ?? null,
    id: own,
    team_id: teamOf(context.identity, user),
    app_id: context.identity.appId,
    app_installed_team_id: context.identity.enterprise?.firstInstall ?? context.identity.teamId,
    bot_id: context.identity.botId,
    hash: `${tick}.${hashOf(own, 8)}`,
    callback_id: payload['callback_id'] ?? '',
    private_metadata: payload['private_metadata'] ?? '',
    blocks: presentBlocks(listOf(payload['blocks']), own),
    state: { values: {} },
  };
  record(context, { kind: 'view', view: { id: own, user, kind, view } });
  return { ok: true, view };
}

function viewIn(args: Args, kind: View['kind']): Json {
  const view = jsonArg(args, 'view', 'invalid_arguments');
  if (!isJson(view)) throw wrong('/view', 'must be an object');
  if (Buffer.byteLength(JSON.stringify(view)) > MAX_BYTES) throw new RefusalError('view_too_large');
  if (view['type'] !== kind) throw wrong('/view/type', `must be ${kind}`);
  const { title, submit, close, callback_id: callback, private_metadata: metadata, blocks } = view;
  if (kind === 'modal' && title === undefined) throw wrong('/view', 'missing required field: title');
  for (const [name, text] of Object.entries({ title, submit, close })) {
    if (text === undefined) continue;
    if (!isText(text, 'plain_text') || lengthOf(text) < 1) throw wrong(`/view/${name}`, 'must be plain_text');
    if (lengthOf(text) > TITLE)
      throw wrong(`/view/${name}/text`, `must be less than ${TITLE + 1} characters`);
  }
  if (stringOf(callback).length > 255) throw wrong('/view/callback_id', 'must be less than 256 characters');
  if (stringOf(metadata).length > METADATA)
    throw wrong('/view/private_metadata', `must be less than ${METADATA + 1} characters`);
  if (!Array.isArray(blocks)) throw wrong('/view/blocks', 'missing required field: blocks');
  const all = listOf(blocks);
  try {
    checkBlocks(all, 'invalid_arguments', MAX_BLOCKS);
  } catch (error) {
    // Slack reports invalid blocks of a view as an invalid argument.
    throw error instanceof RefusalError ? new RefusalError('invalid_arguments', error.detail) : error;
  }
  const markdown = all.findIndex(({ type }) => type === 'markdown');
  if (markdown >= 0) throw wrong(`/view/blocks/${markdown}`, 'unsupported type: markdown');
  const asks = all.some(({ type }) => type === 'input');
  if (asks && kind === 'modal' && submit === undefined)
    throw wrong('/view', 'missing required field: submit');
  return view;
}

const wrong = (where: string, why: string): RefusalError =>
  new RefusalError('invalid_arguments', {
    response_metadata: { messages: [`[ERROR] ${why} [json-pointer:${where}]`] },
  });

const listOf = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isJson) : []);

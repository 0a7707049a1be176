import {
  type CardAction,
  messageId,
  opensModal,
  parseAction,
  RATING_ACTION,
  isLongRunning,
} from '../../../shared/domain/index.ts';
import {
  enqueueInteraction,
  acceptButton,
  acceptInteractionQuestion,
  type AcceptInteractionContext,
} from '../../../shared/intake/index.ts';
import {
  buildForm,
  isPrivate,
  DISCORD_FRONT_COMMANDS,
  DISCORD_MESSAGE_COMMANDS,
  loadDraftedForm,
  opensDraftForm,
  loadVideoForm,
  type VideoFormContext,
  createStoredForm,
} from '../../../shared/commands/index.ts';
import {
  APPLICATION_COMMAND,
  AUTOCOMPLETE,
  MESSAGE_COMMAND,
  MESSAGE_COMPONENT,
  MODAL_SUBMIT,
  USER_COMMAND,
  toInteraction,
  parseOptions,
  targetMessage,
  interactionToken,
  readFormValues,
  type RawInteraction,
  readList,
  readNumber,
  readString,
  botMayWrite,
  toWorkspaceId,
  isOwn,
  isPrivate as isPrivateThread,
  chooseThread,
  toThread,
  parseButton,
  createDeferredResponse,
  createModalResponse,
  type Response,
  ACKNOWLEDGED,
  createMessageResponse,
} from '../../../shared/platforms/discord/index.ts';
import type { FrontStore } from '../../../shared/storage/index.ts';
import { getDiscordText, getFormTexts } from '../../../shared/i18n/index.ts';
import type { DiscordSettings } from './discord-settings.ts';
import type { Suggestions } from './autocomplete.ts';

export type InteractionDeps = AcceptInteractionContext &
  VideoFormContext & {
    readonly store: AcceptInteractionContext['store'] &
      Pick<FrontStore, 'saveNote' | 'findNote' | 'findVideoDraft' | 'findDraftModal' | 'findFact'>;
    readonly suggestions: Suggestions;
    readonly settings: Pick<DiscordSettings, 'refuses' | 'language'>;
  };

/**
 * Returns the response to an interaction within 3 s: a modal, or a deferral once the task is enqueued. Undefined: the worker
 * opens a modal itself within the same 3 s. Rejects when queue or table fail; Discord does not retry.
 */
export async function respondToInteraction(
  raw: RawInteraction,
  context: InteractionDeps,
): Promise<Response | undefined> {
  return (HANDLERS[raw.kind] ?? unknown)(raw, context);
}

type Handler = (raw: RawInteraction, context: InteractionDeps) => Promise<Response | undefined>;
const HANDLERS: Readonly<Record<number, Handler>> = {
  [APPLICATION_COMMAND]: (raw, context) =>
    readNumber(raw.data, 'type') === MESSAGE_COMMAND ? onMessage(raw, context) : onCommand(raw, context),
  [AUTOCOMPLETE]: (raw, { suggestions }) => suggestions.suggest(raw),
  [MESSAGE_COMPONENT]: onComponent,
  [MODAL_SUBMIT]: onForm,
};

async function onCommand(raw: RawInteraction, context: InteractionDeps): Promise<Response> {
  const { name, options, attachments } = parseCommand(raw.data);
  if (name === 'ask' && options['schema'] === undefined) {
    const question = { text: String(options['question'] ?? ''), attachments };
    return ask(
      raw,
      question,
      options['private'] === true,
      context,
      readString(options, 'model') || undefined,
    );
  }
  const spec = DISCORD_FRONT_COMMANDS.find((one) => one.name === name);
  if (!spec) return unknown(raw, context);
  const call = { kind: 'command', name, options, attachments } as const;
  const opening = spec.opens?.(options);
  const modal = opening && buildForm(opening, await context.settings.language(raw));
  if (modal) return createModalResponse(modal);
  await enqueueInteraction(toInteraction(raw, call), context);
  return createDeferredResponse(isPrivate(spec, options));
}

/** A slash command, or a command in the menu of a person, who becomes an option. */
function parseCommand(data: unknown): { readonly name: string } & ReturnType<typeof parseOptions> {
  const name = readString(data, 'name') ?? '';
  if (readNumber(data, 'type') !== USER_COMMAND) return { name, ...parseOptions(data) };
  const spec = DISCORD_FRONT_COMMANDS.find(({ personMenu }) => personMenu?.label === name);
  const person = readString(data, 'target_id');
  const options = spec?.personMenu && person !== undefined ? { [spec.personMenu.option]: person } : {};
  return { name: spec?.name ?? '', options, attachments: [] };
}

type Question = {
  readonly text: string;
  readonly attachments: ReturnType<typeof parseOptions>['attachments'];
};

async function ask(
  raw: RawInteraction,
  { text, attachments }: Question,
  isPrivateQuestion: boolean,
  context: InteractionDeps,
  model?: string,
): Promise<Response> {
  const { id, user: author, place } = raw;
  const thread = chooseThread(place, author, isPrivateQuestion);
  const authorWorkspace = toWorkspaceId(place.guild);
  const message = { thread, id, author, authorWorkspace, text, attachments, addressed: 'direct' as const };
  const [isRefused] = await Promise.all([
    isPrivateQuestion || context.settings.refuses(raw),
    // The worker checks whether the deployment offers it.
    acceptInteractionQuestion(message, interactionToken(raw), model, context),
  ]);
  return createDeferredResponse(isPrivateQuestion || isRefused);
}

/** A command in the menu of a message. "Ask about this" opens a modal and stores the message until it is submitted. */
async function onMessage(raw: RawInteraction, context: InteractionDeps): Promise<Response | undefined> {
  const spec = DISCORD_MESSAGE_COMMANDS.find(({ label }) => label === readString(raw.data, 'name'));
  const message = targetMessage(raw);
  if (!spec || !message) return unknown(raw, context);
  if (spec.name !== 'ask-about') {
    const call = { kind: 'on-message', name: spec.name, message } as const;
    const interaction = toInteraction(raw, call);
    const video = await loadVideoForm(interaction, context);
    if (video) return createModalResponse(video(await context.settings.language(raw)));
    await enqueueInteraction(interaction, context);
    return opensModal(spec) ? undefined : createDeferredResponse(isPrivate(spec));
  }
  const [language] = await Promise.all([
    context.settings.language(raw),
    context.store.saveNote(raw.id, { ...message.thread, user: raw.user }, message),
  ]);
  return createModalResponse(
    createStoredForm([raw.id, message.thread.channel, message.thread.root], getFormTexts(language)),
  );
}

async function onComponent(raw: RawInteraction, context: InteractionDeps): Promise<Response | undefined> {
  const customId = readString(raw.data, 'custom_id') ?? '';
  const button = parseButton(customId);
  if (button) return onButton(raw, button, context);
  const action = parseAction(customId);
  if (!action) return unknown(raw, context);
  const chosen = readList(raw.data, 'values').filter((value) => typeof value === 'string');
  const call = {
    kind: 'action',
    action: copyAction(action),
    chosen,
    ...(raw.on && { card: raw.on }),
  } as const;
  const scope = { platform: 'discord', workspace: toWorkspaceId(raw.place.guild), user: raw.user } as const;
  if (opensModal(action)) {
    const language = await context.settings.language(raw);
    const modal =
      buildForm(action, language, chosen) ??
      (await loadVideoForm(toInteraction(raw, call), context))?.(language) ??
      (await loadDraftedForm(call, scope, context.store))?.(language);
    if (modal) return createModalResponse(modal);
  }
  // The worker informs the person if it no longer exists or belongs to someone else.
  const isOpenedByWorker = opensDraftForm(action);
  if (opensModal(action) && !isOpenedByWorker) return unknown(raw, context);
  const isDeferred = isLongRunning(action);
  await enqueueInteraction({ ...toInteraction(raw, call), ...(isDeferred && { deferred: true }) }, context);
  if (isOpenedByWorker) return undefined;
  return isDeferred ? createDeferredResponse(true) : ACKNOWLEDGED;
}

/**
 * A button below an answer. Where the bot cannot post, the message belongs to an interaction token that has expired, so the
 * new answer is a new message. A person who clicks below the answer of someone else gets an ephemeral notice.
 */
async function onButton(
  raw: RawInteraction,
  { root, message, action: button }: NonNullable<ReturnType<typeof parseButton>>,
  context: InteractionDeps,
): Promise<Response> {
  const { id: at, user: by, place } = raw;
  if (button.kind === 'feedback') {
    const action = { name: RATING_ACTION, args: [root, message, button.good ? 'good' : 'bad'] };
    await enqueueInteraction(
      { ...toInteraction(raw, { kind: 'action', action, chosen: [] }), deferred: true },
      context,
    );
    return createDeferredResponse(true);
  }
  const thread = toThread(place.guild, place.channel, root);
  const sendsNewAnswer = button.kind !== 'stop' && !botMayWrite(thread) && isOwn(thread, by);
  await acceptButton(
    { kind: 'button-clicked', thread, message, by, action: button, at },
    interactionToken(raw),
    sendsNewAnswer,
    context,
  );
  return sendsNewAnswer ? createDeferredResponse(isPrivateThread(thread)) : ACKNOWLEDGED;
}

async function onForm(raw: RawInteraction, context: InteractionDeps): Promise<Response> {
  const action = parseAction(readString(raw.data, 'custom_id') ?? '');
  if (!action) return unknown(raw, context);
  const values = readFormValues(raw.data);
  if (action.name === 'ask.about') return askAbout(raw, action, values['question'] ?? '', context);
  await enqueueInteraction(toInteraction(raw, { kind: 'form', action: copyAction(action), values }), context);
  return createDeferredResponse(true);
}

async function askAbout(
  raw: RawInteraction,
  action: CardAction,
  userQuestion: string,
  context: InteractionDeps,
): Promise<Response> {
  const [id = '', channel = '', root = ''] = action.args;
  const place = { ...toThread(raw.place.guild, channel, messageId(root)), user: raw.user };
  const [language, note] = await Promise.all([
    context.settings.language(raw),
    context.store.findNote(id, place),
  ]);
  const texts = getFormTexts(language);
  if (!note) return unknown(raw, context);
  const question = userQuestion.trim() || texts('explain');
  const quoted = note.text === '' ? '' : `\n\n${texts('message')}\n${note.text.replaceAll(/^/gmu, '> ')}`;
  return ask(raw, { text: question + quoted, attachments: [...note.attachments] }, true, context);
}

/** The response for something that no longer exists, belongs to someone else, or is of another version. */
const unknown = async (
  raw: RawInteraction,
  { settings }: Pick<InteractionDeps, 'settings'>,
): Promise<Response> => createMessageResponse(getDiscordText('unknown', await settings.language(raw)));

const copyAction = ({ name, args }: CardAction) => ({ name, args: [...args] });

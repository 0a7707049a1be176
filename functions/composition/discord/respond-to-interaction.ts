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
import type { DiscordFrontStore } from '../../../shared/storage/index.ts';
import { getDiscordText, getFormTexts } from '../../../shared/i18n/index.ts';
import type { DiscordSettings } from './discord-settings.ts';
import type { Suggestions } from './autocomplete.ts';

export type CallsDeps = AcceptInteractionContext &
  VideoFormContext & {
    readonly store: AcceptInteractionContext['store'] &
      Pick<DiscordFrontStore, 'saveNote' | 'findNote' | 'findVideoDraft' | 'findDraftModal' | 'findFact'>;
    readonly suggestions: Suggestions;
    readonly settings: Pick<DiscordSettings, 'keptOut' | 'language'>;
  };

/**
 * Returns the response to an interaction within 3 s: a modal, or a deferral once the task is enqueued. Undefined: the worker
 * opens a modal itself within the same 3 s. Rejects when queue or table fail; Discord does not retry.
 */
export async function answerCall(of: RawInteraction, context: CallsDeps): Promise<Response | undefined> {
  return (HANDLERS[of.kind] ?? unknown)(of, context);
}

type Handler = (of: RawInteraction, context: CallsDeps) => Promise<Response | undefined>;
const HANDLERS: Readonly<Record<number, Handler>> = {
  [APPLICATION_COMMAND]: (of, context) =>
    readNumber(of.data, 'type') === MESSAGE_COMMAND ? onMessage(of, context) : command(of, context),
  [AUTOCOMPLETE]: (of, { suggestions }) => suggestions.suggest(of),
  [MESSAGE_COMPONENT]: component,
  [MODAL_SUBMIT]: form,
};

async function command(of: RawInteraction, context: CallsDeps): Promise<Response> {
  const { name, options, attachments } = parseCommand(of.data);
  if (name === 'ask' && options['schema'] === undefined) {
    const question = { text: String(options['question'] ?? ''), attachments };
    return ask(of, question, options['private'] === true, context, readString(options, 'model') || undefined);
  }
  const spec = DISCORD_FRONT_COMMANDS.find((one) => one.name === name);
  if (!spec) return unknown(of, context);
  const call = { kind: 'command', name, options, attachments } as const;
  const opening = spec.opens?.(options);
  const modal = opening && buildForm(opening, await context.settings.language(of));
  if (modal) return createModalResponse(modal);
  await enqueueInteraction(toInteraction(of, call), context);
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
  of: RawInteraction,
  { text, attachments }: Question,
  isPrivateQuestion: boolean,
  context: CallsDeps,
  model?: string,
): Promise<Response> {
  const { id, user: author, place } = of;
  const thread = chooseThread(place, author, isPrivateQuestion);
  const authorWorkspace = toWorkspaceId(place.guild);
  const message = { thread, id, author, authorWorkspace, text, attachments, addressed: 'direct' as const };
  const [keptOut] = await Promise.all([
    isPrivateQuestion || context.settings.keptOut(of),
    // The worker checks whether the deployment offers it.
    acceptInteractionQuestion(message, interactionToken(of), model, context),
  ]);
  return createDeferredResponse(isPrivateQuestion || keptOut);
}

/** A command in the menu of a message. "Ask about this" opens a modal and stores the message until it is submitted. */
async function onMessage(of: RawInteraction, context: CallsDeps): Promise<Response | undefined> {
  const spec = DISCORD_MESSAGE_COMMANDS.find(({ label }) => label === readString(of.data, 'name'));
  const message = targetMessage(of);
  if (!spec || !message) return unknown(of, context);
  if (spec.name !== 'ask-about') {
    const call = { kind: 'on-message', name: spec.name, message } as const;
    const interaction = toInteraction(of, call);
    const video = await loadVideoForm(interaction, context);
    if (video) return createModalResponse(video(await context.settings.language(of)));
    await enqueueInteraction(interaction, context);
    return opensModal(spec) ? undefined : createDeferredResponse(isPrivate(spec));
  }
  const [language] = await Promise.all([
    context.settings.language(of),
    context.store.saveNote(of.id, { ...message.thread, user: of.user }, message),
  ]);
  return createModalResponse(
    createStoredForm([of.id, message.thread.channel, message.thread.root], getFormTexts(language)),
  );
}

async function component(of: RawInteraction, context: CallsDeps): Promise<Response | undefined> {
  const customId = readString(of.data, 'custom_id') ?? '';
  const button = parseButton(customId);
  if (button) return pressed(of, button, context);
  const action = parseAction(customId);
  if (!action) return unknown(of, context);
  const chosen = readList(of.data, 'values').filter((value) => typeof value === 'string');
  const call = { kind: 'action', action: copied(action), chosen, ...(of.on && { card: of.on }) } as const;
  const scope = { platform: 'discord', workspace: toWorkspaceId(of.place.guild), user: of.user } as const;
  if (opensModal(action)) {
    const language = await context.settings.language(of);
    const modal =
      buildForm(action, language, chosen) ??
      (await loadVideoForm(toInteraction(of, call), context))?.(language) ??
      (await loadDraftedForm(call, scope, context.store))?.(language);
    if (modal) return createModalResponse(modal);
  }
  // The worker informs the person if it no longer exists or belongs to someone else.
  const isOpenedByWorker = opensDraftForm(action);
  if (opensModal(action) && !isOpenedByWorker) return unknown(of, context);
  const isDeferred = isLongRunning(action);
  await enqueueInteraction({ ...toInteraction(of, call), ...(isDeferred && { deferred: true }) }, context);
  if (isOpenedByWorker) return undefined;
  return isDeferred ? createDeferredResponse(true) : ACKNOWLEDGED;
}

/**
 * A button below an answer. Where the bot cannot post, the message belongs to an interaction token that has expired, so the
 * new answer is a new message. A person who clicks below the answer of someone else gets an ephemeral notice.
 */
async function pressed(
  of: RawInteraction,
  { root, message, action: button }: NonNullable<ReturnType<typeof parseButton>>,
  context: CallsDeps,
): Promise<Response> {
  const { id: at, user: by, place } = of;
  if (button.kind === 'feedback') {
    const action = { name: RATING_ACTION, args: [root, message, button.good ? 'good' : 'bad'] };
    await enqueueInteraction(
      { ...toInteraction(of, { kind: 'action', action, chosen: [] }), deferred: true },
      context,
    );
    return createDeferredResponse(true);
  }
  const thread = toThread(place.guild, place.channel, root);
  const anew = button.kind !== 'stop' && !botMayWrite(thread) && isOwn(thread, by);
  await acceptButton(
    { kind: 'button-clicked', thread, message, by, action: button, at },
    { ...interactionToken(of), anew },
    context,
  );
  return anew ? createDeferredResponse(isPrivateThread(thread)) : ACKNOWLEDGED;
}

async function form(of: RawInteraction, context: CallsDeps): Promise<Response> {
  const action = parseAction(readString(of.data, 'custom_id') ?? '');
  if (!action) return unknown(of, context);
  const values = readFormValues(of.data);
  if (action.name === 'ask.about') return askAbout(of, action, values['question'] ?? '', context);
  await enqueueInteraction(toInteraction(of, { kind: 'form', action: copied(action), values }), context);
  return createDeferredResponse(true);
}

async function askAbout(
  of: RawInteraction,
  action: CardAction,
  userQuestion: string,
  context: CallsDeps,
): Promise<Response> {
  const [id = '', channel = '', root = ''] = action.args;
  const place = { ...toThread(of.place.guild, channel, messageId(root)), user: of.user };
  const [language, note] = await Promise.all([
    context.settings.language(of),
    context.store.findNote(id, place),
  ]);
  const texts = getFormTexts(language);
  if (!note) return unknown(of, context);
  const question = userQuestion.trim() || texts('explain');
  const quoted = note.text === '' ? '' : `\n\n${texts('message')}\n${note.text.replaceAll(/^/gmu, '> ')}`;
  return ask(of, { text: question + quoted, attachments: [...note.attachments] }, true, context);
}

/** The response for something that no longer exists, belongs to someone else, or is of another version. */
const unknown = async (of: RawInteraction, { settings }: Pick<CallsDeps, 'settings'>): Promise<Response> =>
  createMessageResponse(getDiscordText('unknown', await settings.language(of)));

const copied = ({ name, args }: CardAction) => ({ name, args: [...args] });

import type { CommandsContext } from '../../context.ts';
import type { Card, TargetMessage, TaskResult, Thread } from '../../../domain/index.ts';
import { resolveAttachments } from '../../../chat/index.ts';
import {
  actionLabel,
  ADD_TO_KNOWLEDGE,
  addLabel,
  documentLabel,
  formatChoice,
  formatCommand,
  formatToolsCommand,
  getCommandFormat,
  knowledgeLabel,
  localize,
  removeLabel,
  type Locale,
  type TypedCommandFormat,
} from '../../../i18n/index.ts';
import {
  addMessage,
  addPage,
  type AddOutcome,
  createCollectionCard,
  findAddRefusal,
  KNOWLEDGE_SOURCE,
  mayRemove,
} from '../../../knowledge/index.ts';
import type { CollectionPlace, KnowledgeDocument } from '../../../storage/index.ts';
import { getMessageTimeMs } from '../../../utils/index.ts';
import { type InteractionRequest, replyCard, textCard } from '../../framework/types.ts';
import { formatMenuPath } from '../../arguments/menu-path.ts';
import { getReaderZone } from '../../framework/reader-zone.ts';

/** Adds the files of a message, or its text. */
export async function addTargetMessage(
  request: InteractionRequest<'on-message'>,
  context: CommandsContext,
): Promise<TaskResult> {
  const { locale, interaction } = request;
  const off = await findRefusal(request, context);
  if (off !== undefined) return refuse(request, off, context);
  const message = await loadMessage(request, context);
  if (!message) return refuse(request, localize(locale, 'knowledge.gone'), context);
  if (await isClosedThread(message.thread, context))
    return refuse(request, localize(locale, 'knowledge.private-thread'), context);
  const outcomes = await addMessage(message, interaction, context);
  for (const outcome of outcomes) logAddition(outcome, message.thread, request, context);
  return replyCard(request, outcomeCard(outcomes, request), context);
}

/** Whether it is a private thread of a public channel, as Discord has them: the collection is that of the channel, which everybody reads. */
async function isClosedThread(
  thread: Thread,
  { isPublicChannel }: Pick<CommandsContext, 'isPublicChannel'>,
): Promise<boolean> {
  const { platform, workspace, channel } = thread;
  return !(await isPublicChannel(thread)) && isPublicChannel({ platform, workspace, channel });
}

/** Adds a page by its address. */
export async function addAddress(
  request: InteractionRequest,
  place: CollectionPlace,
  what: string,
  context: CommandsContext,
): Promise<TaskResult> {
  const { locale, interaction } = request;
  const off = await findRefusal(request, context);
  if (off !== undefined) return refuse(request, off, context);
  if (what === '')
    return refuse(
      request,
      localize(locale, 'knowledge.no-what', { examples: examples(request, context) }),
      context,
    );
  // Slack marks up addresses. The host is checked where it is opened.
  const text = what.replaceAll(/^<|(?:\|[^>]*)?>$/gu, '');
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/u.test(url.protocol) || url.username !== '')
    return refuse(request, localize(locale, 'tools.bad-url'), context);
  const outcome = await addPage(url.href, place, interaction, context);
  logAddition(outcome, place, request, context);
  return replyCard(request, outcomeCard([outcome], request), context);
}

/** Removes a document by its title, address or id; `all` removes every one, which only administrators may. */
export async function removeDocument(
  request: InteractionRequest,
  place: CollectionPlace,
  what: string,
  context: CommandsContext,
): Promise<TaskResult> {
  const { locale, interaction, admin } = request;
  if (what === '')
    return refuse(
      request,
      localize(locale, 'knowledge.no-what', { examples: examples(request, context) }),
      context,
    );
  const { ready, unfinished } = await context.collections.list(place);
  if (what.toLowerCase() === 'all') {
    if (!admin) return refuse(request, localize(locale, 'usage.admins'), context);
    await context.collections.clear(place);
    logChange('cleared', undefined, place, request, context);
    return replyCard(request, textCard(localize(locale, 'knowledge.removed-all'), 'good'), context);
  }
  const document = [...ready, ...unfinished].find((one) => isNamed(one, what));
  if (!document) return refuse(request, localize(locale, 'knowledge.not-found', { name: what }), context);
  if (!mayRemove(document, { user: interaction.by.user, admin }))
    return refuse(request, localize(locale, 'knowledge.not-yours'), context);
  await context.collections.remove(place, document.id);
  logChange('removed', document.kind, place, request, context);
  return replyCard(
    request,
    textCard(localize(locale, 'knowledge.removed', { title: document.title }), 'good'),
    context,
  );
}

const isNamed = ({ id, title, url }: KnowledgeDocument, what: string): boolean =>
  id === what || url === what || title.toLowerCase() === what.toLowerCase();

/** Lists the collection of a channel. */
export async function createCollectionListCard(
  request: InteractionRequest,
  place: CollectionPlace,
  context: CommandsContext,
): Promise<Card> {
  const { locale, interaction, admin } = request;
  const off = await findRefusal(request, context);
  const format = getCommandFormat(interaction);
  const command = formatExample('add', 'https://…', format, context);
  const menu = formatMenu(format, locale);
  return createCollectionCard(await context.collections.list(place), {
    locale,
    zone: await getReaderZone(request, context),
    mayRemove: (document) => mayRemove(document, { user: interaction.by.user, admin }),
    hint: off ?? localize(locale, 'knowledge.how', { command, menu }),
  });
}

/** Says why the person may not add documents here; undefined if they may. */
async function findRefusal(
  { interaction, locale }: InteractionRequest,
  context: CommandsContext,
): Promise<string | undefined> {
  const { settings, memberRoles } = context;
  const command = formatToolsCommand('on', KNOWLEDGE_SOURCE, getCommandFormat(interaction), settings);
  const refusal = await findAddRefusal(interaction, settings.layers, memberRoles, command);
  return refusal && localize(locale, ...refusal);
}

function examples({ interaction }: InteractionRequest, context: CommandsContext): string {
  const format = getCommandFormat(interaction);
  const commands = [
    formatExample('add', 'https://…', format, context),
    formatExample('remove', '…', format, context),
  ];
  return commands.map((command) => `\`${command}\``).join(', ');
}

/** Formats the command as the person writes it: `/parley knowledge add https://…`, `/wissen aktion:Hinzufügen was:https://…`. */
const formatExample = (
  action: 'add' | 'remove',
  what: string,
  format: TypedCommandFormat,
  { settings }: CommandsContext,
): string =>
  formatCommand(
    knowledgeLabel,
    format,
    settings,
    formatChoice(actionLabel, action, format, action === 'add' ? addLabel : removeLabel),
    formatChoice(documentLabel, what, format),
  );

/** Slack's modal "More actions" stores the position of a message, but not its content: it is loaded again. Undefined if it is gone, or its author was erased since. */
async function loadMessage(
  { payload }: InteractionRequest<'on-message'>,
  { platform, erasureMoments }: CommandsContext,
): Promise<TargetMessage | undefined> {
  const { message } = payload;
  const isPosition = message.text === '' && message.attachments.length === 0;
  const content = isPosition ? await platform.findMessage(message.thread, message.id) : message;
  if (!content) return undefined;
  // `findMessage` leaves such messages out; the content that Discord sends with the interaction has not passed it.
  const erasedUntil = await erasureMoments.findForPeople(message.thread, [content.author]);
  if (getMessageTimeMs(content.id) <= (erasedUntil.get(content.author) ?? 0)) return undefined;
  return {
    ...content,
    attachments: await resolveAttachments(message.thread, content.attachments, platform),
  };
}

/** Names the command in the menu of a message. */
const formatMenu = (format: TypedCommandFormat, locale: Locale): string =>
  `_${formatMenuPath(ADD_TO_KNOWLEDGE, format, locale)}_`;

function outcomeCard(outcomes: readonly AddOutcome[], { locale, interaction }: InteractionRequest): Card {
  const menu = formatMenu(getCommandFormat(interaction), locale);
  const sentences = outcomes.map((outcome) => {
    if (outcome.kind === 'added') {
      const { title, passages: count, isComplete } = outcome;
      return localize(locale, isComplete ? 'knowledge.added' : 'knowledge.added-part', { title, count });
    }
    const why = localize(locale, ...outcome.why);
    const isPage = outcome.why[0].startsWith('knowledge.page.');
    const reason = isPage ? `${why} ${localize(locale, 'knowledge.page-instead', { menu })}` : why;
    return outcome.name === ''
      ? reason
      : localize(locale, 'knowledge.failed', { name: outcome.name, reason });
  });
  const isGood = outcomes.every(({ kind }) => kind === 'added');
  return textCard(sentences.join('\n\n'), isGood ? 'good' : 'bad');
}

/** Replies with a sentence that says why not. */
export const refuse = (
  request: InteractionRequest,
  sentence: string,
  context: CommandsContext,
): Promise<TaskResult> => replyCard(request, textCard(sentence, 'bad'), context);

const logAddition = (
  outcome: AddOutcome,
  place: CollectionPlace,
  request: InteractionRequest,
  context: CommandsContext,
): void =>
  logChange(
    outcome.kind === 'added' ? 'added' : 'refused',
    outcome.kind === 'added' ? undefined : outcome.why[0],
    place,
    request,
    context,
  );

/** For audits: who changed which collection. Without titles and addresses. */
function logChange(
  outcome: string,
  reason: string | undefined,
  { platform, workspace, channel }: CollectionPlace,
  { interaction }: InteractionRequest,
  { log }: CommandsContext,
): void {
  log('knowledge.changed', { platform, workspace, channel, outcome, reason, user: interaction.by.user });
}

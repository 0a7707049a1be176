import type { CommandsContext } from './context.ts';
import type {
  Interaction,
  InteractionPayload,
  InteractionTask,
  PlatformName,
  QueueDelivery,
  TaskResult,
} from '../domain/index.ts';
import { HistoryUnavailableError } from '../platforms/ports/index.ts';
import { type AccessRefusal, findAccessRefusal } from '../settings/rules/index.ts';
import { resolveLocale } from '../settings/index.ts';
import { getCommandFormat, localize, localizeRefusal } from '../i18n/index.ts';
import { buildCommandForm } from './open-command-form.ts';
import { replyUsageError } from './definitions/help.ts';
import { showHome } from './definitions/home.ts';
import { run as showMenu, toTypedCommand } from './definitions/menu.ts';
import { toMessageCommand } from './definitions/more-actions.ts';
import { isErasedSince } from './framework/erased-since.ts';
import { findBrokenRule } from './framework/option-rules.ts';
import { resolvePeople } from './arguments/references.ts';
import { parseCommand } from './arguments/parse-arguments.ts';
import { toTranscribeCommand } from './framework/reaction-command.ts';
import { type Caller, type InteractionRequest, replyStale, replyCard, textCard } from './framework/types.ts';
import {
  findActionHandler,
  findCommandFile,
  findMessageHandler,
  isOwnDataAction,
  matchesChoice,
} from './registry.ts';
import { announceRetirements } from './definitions/parts/model-retirement.ts';
import { describeHistoryError } from './definitions/parts/request-summary.ts';
import { COMMANDS, FILES } from './command-list.ts';

/**
 * Handles a command, click or modal. Rejects if the table or platform is unavailable; the queue then redelivers the task.
 * Ignores unknown interactions.
 */
export async function dispatchInteraction(
  { interaction }: InteractionTask,
  context: CommandsContext,
  delivery: QueueDelivery,
): Promise<TaskResult> {
  const { by, channel } = interaction;
  const payload =
    interaction.payload.kind === 'reacted'
      ? await toTranscribeCommand(interaction.payload, interaction, context).catch(returnIfThrottled)
      : interaction.payload;
  if (payload instanceof HistoryUnavailableError)
    return retryHistory(payload, interaction, context, delivery);
  if (!payload) return { kind: 'done' };
  if (await isBeforeErasure({ ...interaction, payload }, context))
    return refuseAfterErasure(interaction, context);
  const caller = await loadCaller(interaction, context);
  // Discord sends the person's permissions with each interaction in a guild.
  const knownRoles = by.admin === undefined ? undefined : { admin: by.admin, roles: by.roles };
  const refusal =
    (await findAccessRefusal(
      { user: by.user, channel },
      context.settings.layers,
      async () => knownRoles ?? context.memberRoles(interaction, by.user),
    )) ?? (await findBlock(caller, context));
  if (refusal && !isOwnDataRequest(payload, interaction.platform))
    return replyRefusal({ ...caller, payload }, refusal, context);
  const result = await handlePayload(caller, payload, context, delivery);
  if (caller.admin && result.kind === 'done') await announceRetirements({ ...caller, payload }, context);
  return result;
}

/**
 * Returns that an administrator has blocked the person: their requests to models are refused, and they cannot change what others get either, for
 * example by settings of a thread. Admins are not refused: they could unblock themselves.
 */
async function findBlock(
  { interaction, admin }: Caller,
  { budgets }: Pick<CommandsContext, 'budgets'>,
): Promise<AccessRefusal | undefined> {
  return !admin && (await budgets.isBlocked(interaction, interaction.by.user)) ? 'denied' : undefined;
}

async function handlePayload(
  caller: Caller,
  payload: Exclude<InteractionPayload, { readonly kind: 'reacted' }>,
  context: CommandsContext,
  delivery: QueueDelivery,
): Promise<TaskResult> {
  switch (payload.kind) {
    case 'command':
      return handleCommand({ ...caller, payload }, context, delivery);
    case 'on-message':
      return handleMessageCommand({ ...caller, payload }, context, delivery);
    case 'action':
    case 'form':
      return handleAction({ ...caller, payload }, context, delivery);
    case 'home':
      return showHome({ ...caller, payload }, context, delivery);
  }
}

async function handleAction(
  request: InteractionRequest<'action' | 'form'>,
  context: CommandsContext,
  delivery: QueueDelivery,
): Promise<TaskResult> {
  const { payload, interaction, locale } = request;
  // The front opens these modals itself: this one could not be opened in time.
  if (buildCommandForm(payload, interaction.platform))
    return replyCard(request, textCard(localize(locale, 'commands.form-unopened'), 'bad'), context);
  const typedCommand = toTypedCommand(request);
  if (typedCommand) return handleCommand(typedCommand, context, delivery);
  const messageCommand = toMessageCommand(request);
  if (messageCommand) return handleMessageCommand(messageCommand, context, delivery);
  const [area = ''] = payload.action.name.split('.', 1);
  const handler = findActionHandler(area);
  return handler ? handler(request, context, delivery) : replyStale(request, context);
}

/**
 * Returns whether the person, the thread or the workspace was erased after the interaction: its task waited or was
 * redelivered, and would store erased data again. Interactions from fronts that send no time are never too old. App Home and
 * erasure requests store no content.
 */
async function isBeforeErasure(
  interaction: Interaction,
  context: Pick<CommandsContext, 'erasureMoments'>,
): Promise<boolean> {
  const { receivedAt, payload, thread } = interaction;
  if (receivedAt === undefined || payload.kind === 'home') return false;
  if (payload.kind === 'action' && payload.action.name.startsWith('forget.')) return false;
  const threads = [thread, payload.kind === 'on-message' ? payload.message.thread : undefined];
  return isErasedSince(
    receivedAt,
    interaction,
    threads.flatMap((one) => one ?? []),
    context,
  );
}

/** Says that the interaction was not handled. Not for a reaction, which may not be meant for the bot. */
async function refuseAfterErasure(interaction: Interaction, context: CommandsContext): Promise<TaskResult> {
  context.log('interaction.dropped-after-erasure', { kind: interaction.payload.kind });
  if (interaction.payload.kind === 'reacted') return { kind: 'done' };
  const caller = await loadCaller(interaction, context);
  return replyCard(caller, textCard(localize(caller.locale, 'commands.before-erasure'), 'bad'), context);
}

/** Returns the error if the platform throttles the bot; rethrows any other. */
function returnIfThrottled(error: unknown): HistoryUnavailableError {
  if (error instanceof HistoryUnavailableError && error.reason === 'slowed') return error;
  throw error;
}

/** Retries later; on the last delivery, says why the message cannot be read. */
async function retryHistory(
  error: HistoryUnavailableError,
  interaction: Interaction,
  context: CommandsContext,
  { isLast }: QueueDelivery,
): Promise<TaskResult> {
  if (!isLast) return { kind: 'later', afterMs: error.retryAfterMs };
  const caller = await loadCaller(interaction, context);
  return replyCard(
    caller,
    textCard(describeHistoryError({ ...caller, payload: interaction.payload }, error), 'bad'),
    context,
  );
}

async function loadCaller(
  interaction: Interaction,
  { userProfile, settings }: Pick<CommandsContext, 'userProfile' | 'settings'>,
): Promise<Caller> {
  const { by } = interaction;
  const isIncomplete = by.locale === undefined || by.admin === undefined;
  const profile = isIncomplete ? await userProfile(interaction, by.user) : undefined;
  const admin = by.admin ?? profile?.admin ?? false;
  return { interaction, locale: resolveLocale(settings.layers, by.locale ?? profile?.locale), admin };
}

/**
 * Returns whether an interaction only gets or erases data of its person, or opts them out. People who may not use the bot may do that too:
 * the bot may have stored their data before, or their voice messages in a thread of somebody else.
 */
function isOwnDataRequest(
  payload: Exclude<InteractionPayload, { readonly kind: 'reacted' }>,
  platform: PlatformName,
): boolean {
  if (payload.kind === 'action') return isOwnDataAction(payload.action.name);
  if (payload.kind !== 'command') return false;
  const parsed = parseCommand(payload, platform, COMMANDS, matchesChoice);
  if (parsed.kind !== 'command') return false;
  return findCommandFile(parsed.spec.name)?.ownData?.command(parsed.options) === true;
}

/** Says, ephemerally, who can change the permission. */
function replyRefusal(
  request: InteractionRequest,
  refusal: AccessRefusal,
  context: CommandsContext,
): Promise<TaskResult> {
  const sentence = localizeRefusal(refusal, getCommandFormat(request.interaction), request.locale);
  return replyCard(request, textCard(sentence, 'bad'), context);
}

const handleMessageCommand = (
  request: InteractionRequest<'on-message'>,
  context: CommandsContext,
  delivery: QueueDelivery,
): Promise<TaskResult> => {
  const { name } = request.payload;
  return logIfUnknown(findMessageHandler(name)?.(request, context, delivery), name, context);
};

async function handleCommand(
  request: InteractionRequest<'command'>,
  context: CommandsContext,
  delivery: QueueDelivery,
): Promise<TaskResult> {
  const commands = FILES;
  const parsed = parseCommand(request.payload, request.interaction.platform, COMMANDS, matchesChoice);
  const commandRequest = { ...request, options: {}, commands };
  switch (parsed.kind) {
    case 'command': {
      const { spec, options } = parsed;
      const file = findCommandFile(spec.name);
      const brokenRule = findBrokenRule(spec, file?.rules ?? {}, options);
      if (brokenRule)
        return replyUsageError({ ...commandRequest, usageError: brokenRule }, context, delivery);
      const resolved = await resolvePeople(request, context, spec, options);
      if ('sentence' in resolved) return replyCard(request, textCard(resolved.sentence, 'bad'), context);
      const result = file?.run?.({ ...request, ...resolved, commands }, context, delivery);
      return logIfUnknown(result, spec.name, context);
    }
    case 'menu':
      return showMenu(commandRequest, context, delivery);
    case 'unknown':
    case 'wrong':
    case 'extra':
      return replyUsageError({ ...commandRequest, usageError: parsed }, context, delivery);
  }
}

async function logIfUnknown(
  result: Promise<TaskResult> | undefined,
  name: string,
  { log }: Pick<CommandsContext, 'log'>,
): Promise<TaskResult> {
  if (!result) log('interaction.unknown', { name });
  return result ?? { kind: 'done' };
}

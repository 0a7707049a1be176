import type { CommandsContext } from './context.ts';
import type {
  Interaction,
  InteractionPayload,
  InteractionTask,
  QueueDelivery,
  TaskResult,
} from '../domain/index.ts';
import { HistoryUnavailableError } from '../platforms/ports/index.ts';
import type { PermissionRefusal } from '../settings/rules/index.ts';
import { resolveLocale, findRefusal } from '../settings/index.ts';
import { localize } from '../i18n/index.ts';
import { commandForm } from './open-command-form.ts';
import { correct } from './definitions/help.ts';
import { home } from './definitions/home.ts';
import { run as menu, typedBy } from './definitions/menu.ts';
import { chosenIn } from './definitions/more-actions.ts';
import { brokenRule } from './framework/option-rules.ts';
import { resolvePeople } from './arguments/references.ts';
import { parseCommand } from './arguments/parse-arguments.ts';
import { reactionTarget } from './framework/reaction-command.ts';
import {
  type AnyPayload,
  type InteractionContext,
  staleReply,
  replyCard,
  textCard,
} from './framework/types.ts';
import { findAction, choiceWords, findCommandFile, findMessageAction } from './registry.ts';
import { announceRetirements } from './definitions/parts/model-retirement.ts';
import { refusalWords } from './definitions/parts/request-summary.ts';
import { COMMANDS, FILES } from './command-list.ts';

/**
 * Does what a person called, pressed or filled in. Rejects when the table or the platform cannot be used; the queue then
 * delivers the call again. A call that nothing here answers is passed over.
 */
export async function dispatchInteraction(
  { invocation }: InteractionTask,
  context: CommandsContext,
  delivery: QueueDelivery,
): Promise<TaskResult> {
  const { by, channel } = invocation;
  const call =
    invocation.call.kind === 'reacted'
      ? await reactionTarget(invocation.call, invocation, context).catch(ifOnlyLater)
      : invocation.call;
  if (call instanceof HistoryUnavailableError) return readLater(call, invocation, context, delivery);
  if (!call) return { kind: 'done' };
  if (await isFromBeforeErasure({ ...invocation, call }, context)) return refuseErased(invocation, context);
  const called = await callerOf(invocation, context);
  // Discord says of each call in a guild what its person is there.
  const told = by.admin === undefined ? undefined : { admin: by.admin, roles: by.roles };
  const refusal = await findRefusal(
    { ...invocation, channel },
    by.user,
    context.settings.layers,
    context,
    told,
  );
  if (refusal) return refuse({ ...called, call }, refusal, context);
  const result = await handleCall({ ...called, call }, context, delivery);
  if (called.admin && result.kind === 'done') await announceRetirements({ ...called, call }, context);
  return result;
}

/** Calls the handler for what the person did. */
async function handleCall(
  {
    call,
    ...called
  }: Omit<AnyPayload, 'call'> & {
    readonly call: Exclude<InteractionPayload, { readonly kind: 'reacted' }>;
  },
  context: CommandsContext,
  delivery: QueueDelivery,
): Promise<TaskResult> {
  switch (call.kind) {
    case 'command':
      return command({ ...called, call }, context, delivery);
    case 'on-message':
      return onMessage({ ...called, call }, context, delivery);
    case 'action':
    case 'form': {
      // The front opens forms, and leaves here what it could not open; those that hold what is stored are opened here.
      if (commandForm(call, called.invocation.platform))
        return replyCard(called, textCard(localize(called.locale, 'commands.form-unopened'), 'bad'), context);
      const typed = typedBy({ ...called, call });
      if (typed) return command(typed, context, delivery);
      const chosen = chosenIn({ ...called, call });
      if (chosen) return onMessage(chosen, context, delivery);
      const [area = ''] = call.action.name.split('.', 1);
      return (
        findAction(area)?.({ ...called, call }, context, delivery) ?? staleReply({ ...called, call }, context)
      );
    }
    case 'home':
      return home({ ...called, call }, context, delivery);
  }
}

/**
 * Whether who called this, the thread that it is about, or the workspace was forgotten since: the task waited, or is delivered again. What
 * it carries would be kept anew. A front that does not note yet when a call came says nothing of it; App Home and what asks to forget keep
 * no words.
 */
async function isFromBeforeErasure(
  { at, by, call, platform, workspace, thread }: Interaction,
  { erasureMoments }: Pick<CommandsContext, 'erasureMoments'>,
): Promise<boolean> {
  if (at === undefined || call.kind === 'home') return false;
  if (call.kind === 'action' && call.action.name.startsWith('forget.')) return false;
  const threads = [thread, call.kind === 'on-message' ? call.message.thread : undefined];
  const [people, ...others] = await Promise.all([
    erasureMoments.findForPeople({ platform, workspace }, [by.user]),
    ...[...new Set([workspace, by.workspace])].map((one) =>
      erasureMoments.find({ platform, workspace: one }),
    ),
    ...threads.map((one) => one && erasureMoments.find({ thread: one })),
  ]);
  return at <= Math.max(people.get(by.user) ?? 0, ...others.map((until) => until ?? 0));
}

/** They are told that it was not done, but for a reaction: that may have meant nothing to the bot. */
async function refuseErased(invocation: Interaction, context: CommandsContext): Promise<TaskResult> {
  context.log('interaction.dropped-after-erasure', { kind: invocation.call.kind });
  if (invocation.call.kind === 'reacted') return { kind: 'done' };
  const called = await callerOf(invocation, context);
  return replyCard(called, textCard(localize(called.locale, 'commands.before-erasure'), 'bad'), context);
}

/** A platform that lets the bot read the message only later. */
function ifOnlyLater(error: unknown): HistoryUnavailableError {
  if (error instanceof HistoryUnavailableError && error.reason === 'slowed') return error;
  throw error;
}

/** Waits until the platform lets the bot read; who reacted is told where that is never the case. */
async function readLater(
  refused: HistoryUnavailableError,
  invocation: Interaction,
  context: CommandsContext,
  { isLast: last }: QueueDelivery,
): Promise<TaskResult> {
  if (!last) return { kind: 'later', afterMs: refused.retryAfterMs };
  const called = await callerOf(invocation, context);
  return replyCard(
    called,
    textCard(refusalWords({ ...called, call: invocation.call }, refused), 'bad'),
    context,
  );
}

async function callerOf(
  invocation: Interaction,
  { userProfile: people, settings }: Pick<CommandsContext, 'userProfile' | 'settings'>,
) {
  const { by } = invocation;
  const untold = by.locale === undefined || by.admin === undefined;
  const known = untold ? await people(invocation, by.user) : undefined;
  const admin = by.admin ?? known?.admin ?? false;
  return { invocation, locale: resolveLocale(settings.layers, by.locale ?? known?.locale), admin };
}

/** A private no, that says who can change it. Nobody else sees the attempt. */
function refuse(
  called: AnyPayload,
  refusal: PermissionRefusal,
  context: CommandsContext,
): Promise<TaskResult> {
  return replyCard(called, textCard(localize(called.locale, `settings.refused.${refusal}`), 'bad'), context);
}

const onMessage = (
  called: InteractionContext<'on-message'>,
  context: CommandsContext,
  delivery: QueueDelivery,
): Promise<TaskResult> =>
  pass(findMessageAction(called.call.name)?.(called, context, delivery), called.call.name, context);

async function command(
  called: InteractionContext<'command'>,
  context: CommandsContext,
  delivery: QueueDelivery,
): Promise<TaskResult> {
  const commands = FILES;
  const asked = parseCommand(called.call, called.invocation.platform, COMMANDS, choiceWords);
  switch (asked.kind) {
    case 'command': {
      const { spec, options } = asked;
      const file = findCommandFile(spec.name);
      const broken = brokenRule(spec, file?.rules ?? {}, options);
      if (broken) return correct({ ...called, options: {}, commands, asked: broken }, context, delivery);
      const named = await resolvePeople(called, context, spec, options);
      if ('sentence' in named) return replyCard(called, textCard(named.sentence, 'bad'), context);
      return pass(file?.run?.({ ...called, ...named, commands }, context, delivery), spec.name, context);
    }
    case 'menu':
      return menu({ ...called, options: {}, commands }, context, delivery);
    case 'unknown':
    case 'wrong':
    case 'extra':
      return correct({ ...called, options: {}, commands, asked }, context, delivery);
  }
}

async function pass(
  done: Promise<TaskResult> | undefined,
  name: string,
  { log }: Pick<CommandsContext, 'log'>,
): Promise<TaskResult> {
  if (!done) log('interaction.unknown', { name });
  return done ?? { kind: 'done' };
}

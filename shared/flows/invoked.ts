import type { Invocation, InvokedTask } from '../conversation/index.ts';
import { HistoryRefused } from '../platforms/platform.ts';
import type { Refusal } from '../settings/index.ts';
import { say } from '../texts/index.ts';
import { formFor } from './commands/opening.ts';
import { correct } from './commands/help.ts';
import { home } from './commands/home.ts';
import { run as menu, typedBy } from './commands/menu.ts';
import { chosenIn } from './commands/more-actions.ts';
import { brokenRule } from './commands/option-rules.ts';
import { resolvePeople } from './commands/references.ts';
import { readCommand } from './commands/read.ts';
import { meantBy } from './commands/reacted.ts';
import { type AnyCall, type Called, stale, tell, words } from './commands/run.ts';
import { actOf, choiceWords, fileOf, runOnMessageOf } from './commands/runs.ts';
import { refusalWords } from './commands/sum-up.ts';
import { COMMANDS, FILES } from './commands/all.ts';
import { localeFor } from './locale.ts';
import { refusalAt } from './permitted.ts';
import type { Delivery, Deps, Verdict } from './ports.ts';

/**
 * Does what a person called, pressed or filled in. Rejects when the table or the platform cannot be used; the queue then
 * delivers the call again. A call that nothing here answers is passed over.
 */
export async function invoked({ invocation }: InvokedTask, deps: Deps, delivery: Delivery): Promise<Verdict> {
  const { by, channel } = invocation;
  const call =
    invocation.call.kind === 'reacted'
      ? await meantBy(invocation.call, invocation, deps).catch(ifOnlyLater)
      : invocation.call;
  if (call instanceof HistoryRefused) return readLater(call, invocation, deps, delivery);
  if (!call) return { kind: 'done' };
  const called = await callerOf(invocation, deps);
  // Discord says of each call in a guild what its person is there.
  const told = by.admin === undefined ? undefined : { admin: by.admin, roles: by.roles };
  const refusal = await refusalAt({ ...invocation, channel }, by.user, deps.settings.layers, deps, told);
  if (refusal) return refuse({ ...called, call }, refusal, deps);
  switch (call.kind) {
    case 'command':
      return command({ ...called, call }, deps, delivery);
    case 'on-message':
      return onMessage({ ...called, call }, deps, delivery);
    case 'action':
    case 'form': {
      // The front opens forms, and leaves here what it could not open; those that hold what is stored are opened here.
      if (formFor(call, invocation.platform))
        return tell(called, words(say(called.locale, 'commands.form-unopened'), 'bad'), deps);
      const typed = typedBy({ ...called, call });
      if (typed) return command(typed, deps, delivery);
      const chosen = chosenIn({ ...called, call });
      if (chosen) return onMessage(chosen, deps, delivery);
      const [area = ''] = call.action.name.split('.', 1);
      return actOf(area)?.({ ...called, call }, deps, delivery) ?? stale({ ...called, call }, deps);
    }
    case 'home':
      return home({ ...called, call }, deps, delivery);
  }
}

/** A platform that lets the bot read the message only later. */
function ifOnlyLater(error: unknown): HistoryRefused {
  if (error instanceof HistoryRefused && error.reason === 'slowed') return error;
  throw error;
}

/** Waits until the platform lets the bot read; who reacted is told where that is never the case. */
async function readLater(
  refused: HistoryRefused,
  invocation: Invocation,
  deps: Deps,
  { last }: Delivery,
): Promise<Verdict> {
  if (!last) return { kind: 'later', afterMs: refused.retryAfterMs };
  const called = await callerOf(invocation, deps);
  return tell(called, words(refusalWords({ ...called, call: invocation.call }, refused), 'bad'), deps);
}

async function callerOf(invocation: Invocation, { people, settings }: Pick<Deps, 'people' | 'settings'>) {
  const { by } = invocation;
  const untold = by.locale === undefined || by.admin === undefined;
  const known = untold ? await people?.(invocation, by.user) : undefined;
  const admin = by.admin ?? known?.admin ?? false;
  return { invocation, locale: localeFor(settings.layers, by.locale ?? known?.locale), admin };
}

/** A private no, that says who can change it. Nobody else sees the attempt. */
function refuse(called: AnyCall, refusal: Refusal, deps: Deps): Promise<Verdict> {
  return tell(called, words(say(called.locale, `settings.refused.${refusal}`), 'bad'), deps);
}

const onMessage = (called: Called<'on-message'>, deps: Deps, delivery: Delivery): Promise<Verdict> =>
  pass(runOnMessageOf(called.call.name)?.(called, deps, delivery), called.call.name, deps);

async function command(called: Called<'command'>, deps: Deps, delivery: Delivery): Promise<Verdict> {
  const commands = FILES;
  const asked = readCommand(called.call, called.invocation.platform, COMMANDS, choiceWords);
  switch (asked.kind) {
    case 'command': {
      const { spec, options } = asked;
      const file = fileOf(spec.name);
      const broken = brokenRule(spec, file?.rules ?? {}, options);
      if (broken) return correct({ ...called, options: {}, commands, asked: broken }, deps, delivery);
      const named = await resolvePeople(called, deps, spec, options);
      if ('sentence' in named) return tell(called, words(named.sentence, 'bad'), deps);
      return pass(file?.run?.({ ...called, ...named, commands }, deps, delivery), spec.name, deps);
    }
    case 'menu':
      return menu({ ...called, options: {}, commands }, deps, delivery);
    case 'unknown':
    case 'wrong':
    case 'extra':
      return correct({ ...called, options: {}, commands, asked }, deps, delivery);
  }
}

async function pass(
  done: Promise<Verdict> | undefined,
  name: string,
  { log }: Pick<Deps, 'log'>,
): Promise<Verdict> {
  if (!done) log('invoked.unknown', { name });
  return done ?? { kind: 'done' };
}

import type { Call, Card, Invocation } from '../../conversation/index.ts';
import { type Locale, say } from '../../texts/index.ts';
import type { Delivery, Deps, Verdict } from '../ports.ts';
import { replyPrivately } from '../private-reply.ts';
import type { OptionRules } from './option-rules.ts';
import type { CommandSpec, MessageCommandSpec, Options, Texts } from './spec.ts';

/** Who called, from where, and in which language they are answered. */
type Caller = {
  readonly invocation: Invocation;
  readonly locale: Locale;
  /** Whether they administer the workspace, as far as the platform tells. */
  readonly admin: boolean;
};

/** A call on its way through. */
export type AnyCall = Caller & { readonly call: Call };

/** A call of these kinds. */
export type Called<K extends Call['kind']> = Caller & { readonly call: Extract<Call, { kind: K }> };

/** A called command, its options read as its spec says. */
export type CalledCommand = Called<'command'> & {
  readonly options: Options;
  /** All there are, for `help`. */
  readonly commands: readonly CommandFile[];
};

/** Does what was called. Safe to repeat: the queue delivers a call again when it rejects. */
export type Run<C = AnyCall> = (called: C, deps: Deps, delivery: Delivery) => Promise<Verdict>;

/** What a file of a command exports: all there is of it, so that a forgotten part does not pass the type checker. */
export type CommandFile = {
  /** What people are shown of it, and whatever else it says: see `TextsOf`. */
  readonly texts: Texts;
  /** What the controls of its cards and forms do, whose actions begin with its name: `forget.me`. */
  readonly act?: Run<Called<'action' | 'form'>>;
  /** What its options mean beside each other. */
  readonly rules?: OptionRules;
  /** Where `help` names it: from 1 on. Those without one stand behind, by their names. */
  readonly rank?: number;
} & (
  | { readonly spec: CommandSpec; readonly run: Run<CalledCommand> }
  | { readonly spec?: undefined; readonly run?: undefined }
) &
  (
    | { readonly onMessage: MessageCommandSpec; readonly runOnMessage: Run<Called<'on-message'>> }
    | { readonly onMessage?: undefined; readonly runOnMessage?: undefined }
  );

export const DONE: Verdict = { kind: 'done' };

/** Answers for the person alone. A ticket that is dead by now is logged: they have gone on. */
export async function tell(
  { invocation }: Pick<AnyCall, 'invocation'>,
  card: Card,
  deps: Pick<Deps, 'stage' | 'time' | 'log'>,
): Promise<Verdict> {
  await replyPrivately(invocation, card, deps, 'invoked.unheard');
  return DONE;
}

/** What was pressed or sent is none of what there is: of an earlier version, of another card, or made up. */
export const stale = (called: AnyCall, deps: Pick<Deps, 'stage' | 'time' | 'log'>): Promise<Verdict> =>
  tell(called, words(say(called.locale, 'commands.stale'), 'bad'), deps);

/** A card of one paragraph; `people` are those it names. */
export const words = (markdown: string, tone?: Card['tone'], people?: readonly string[]): Card => ({
  tone,
  parts: [{ kind: 'text', markdown, ...(people && { people }) }],
});

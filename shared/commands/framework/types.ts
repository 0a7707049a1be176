import type { CommandsContext } from '../context.ts';
import {
  type Card,
  type Interaction,
  type InteractionPayload,
  textCard,
  type QueueDelivery,
  type TaskResult,
} from '../../domain/index.ts';
import { type Locale, localize } from '../../i18n/index.ts';
import { replyPrivately } from '../../ports/index.ts';
import type { OptionRules } from './option-rules.ts';
import type { CommandSpec, MessageCommandSpec, Options, Texts } from './command-spec.ts';

export { textCard };

/** Who called, from where, and in which language they are answered. */
type Caller = {
  readonly invocation: Interaction;
  readonly locale: Locale;
  /** Whether they administer the workspace, as far as the platform tells. */
  readonly admin: boolean;
};

/** A call on its way through. */
export type AnyPayload = Caller & { readonly call: InteractionPayload };

/** A call of these kinds. */
export type InteractionContext<K extends InteractionPayload['kind']> = Caller & {
  readonly call: Extract<InteractionPayload, { kind: K }>;
};

/** A called command, its options read as its spec says. */
export type CommandContext = InteractionContext<'command'> & {
  readonly options: Options;
  /** All there are, for `help`. */
  readonly commands: readonly CommandFile[];
};

/** Does what was called. Safe to repeat: the queue delivers a call again when it rejects. */
export type CommandRun<C = AnyPayload> = (
  called: C,
  context: CommandsContext,
  delivery: QueueDelivery,
) => Promise<TaskResult>;

/** What a file of a command exports: all there is of it, so that a forgotten part does not pass the type checker. */
export type CommandFile = {
  /** What people are shown of it, and whatever else it says: see `TextsOf`. */
  readonly texts: Texts;
  /** What the controls of its cards and forms do, whose actions begin with its name: `forget.me`. */
  readonly act?: CommandRun<InteractionContext<'action' | 'form'>>;
  /** What its options mean beside each other. */
  readonly rules?: OptionRules;
  /** Where `help` names it: from 1 on. Those without one stand behind, by their names. */
  readonly rank?: number;
} & (
  | { readonly spec: CommandSpec; readonly run: CommandRun<CommandContext> }
  | { readonly spec?: undefined; readonly run?: undefined }
) &
  (
    | {
        readonly onMessage: MessageCommandSpec;
        readonly runOnMessage: CommandRun<InteractionContext<'on-message'>>;
      }
    | { readonly onMessage?: undefined; readonly runOnMessage?: undefined }
  );

export const DONE: TaskResult = { kind: 'done' };

/** Answers for the person alone. A ticket that is dead by now is logged: they have gone on. */
export async function replyCard(
  { invocation }: Pick<AnyPayload, 'invocation'>,
  card: Card,
  context: Pick<CommandsContext, 'messenger' | 'time' | 'log'>,
): Promise<TaskResult> {
  await replyPrivately(invocation, card, context, 'invoked.unheard');
  return DONE;
}

/** What was pressed or sent is none of what there is: of an earlier version, of another card, or made up. */
export const staleReply = (
  called: AnyPayload,
  context: Pick<CommandsContext, 'messenger' | 'time' | 'log'>,
): Promise<TaskResult> =>
  replyCard(called, textCard(localize(called.locale, 'commands.stale'), 'bad'), context);

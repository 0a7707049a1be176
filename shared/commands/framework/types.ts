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

/** The person behind an interaction, and the locale of the response. */
export type Caller = {
  readonly interaction: Interaction;
  readonly locale: Locale;
  /** Whether they administer the workspace, as far as the platform reports it. */
  readonly admin: boolean;
};

/** An interaction with a payload of one of these kinds, in the worker. */
export type InteractionRequest<K extends InteractionPayload['kind'] = InteractionPayload['kind']> = Caller & {
  readonly payload: Extract<InteractionPayload, { kind: K }>;
};

/** A command with its parsed options. */
export type CommandRequest = InteractionRequest<'command'> & {
  readonly options: Options;
  /** All commands, for `help`. */
  readonly commands: readonly CommandFile[];
};

/** Handles a request. Idempotent: the queue redelivers an interaction whose handler rejects. */
export type CommandHandler<R = InteractionRequest> = (
  request: R,
  context: CommandsContext,
  delivery: QueueDelivery,
) => Promise<TaskResult>;

/** The calls of a command that concern only data of the caller, who always has the right to them: see docs/privacy.md. */
export type OwnDataAccess = {
  /** Whether a call with these options is one. */
  readonly command: (options: Options) => boolean;
  /** The names of the actions of its cards that are: `forget.me`. */
  readonly actions: readonly string[];
};

/** All exports of a command's file, so that the type checker notices a forgotten part. */
export type CommandFile = {
  /** Its labels for people, and its other texts: see `TextsOf`. */
  readonly texts: Texts;
  /** Handles the controls of its cards and modals. Their actions begin with the command's name: `forget.me`. */
  readonly onAction?: CommandHandler<InteractionRequest<'action' | 'form'>>;
  /** What people who may not use the bot may still do. */
  readonly ownData?: OwnDataAccess;
  /** Dependencies between its options. */
  readonly rules?: OptionRules;
  /** Its position in `help`, from 1. Commands without one follow in alphabetical order. */
  readonly helpOrder?: number;
} & (
  | { readonly spec: CommandSpec; readonly run: CommandHandler<CommandRequest> }
  | { readonly spec?: undefined; readonly run?: undefined }
) &
  (
    | {
        readonly messageCommand: MessageCommandSpec;
        readonly runMessageCommand: CommandHandler<InteractionRequest<'on-message'>>;
      }
    | { readonly messageCommand?: undefined; readonly runMessageCommand?: undefined }
  );

export const DONE: TaskResult = { kind: 'done' };

/**
 * Sends an ephemeral response; where a filter blocks its words, a notice. An expired interaction token is only logged: then the person has moved
 * on.
 */
export async function replyCard(
  { interaction, locale }: Pick<InteractionRequest, 'interaction' | 'locale'>,
  card: Card,
  context: Pick<CommandsContext, 'messenger' | 'time' | 'log'>,
): Promise<TaskResult> {
  await replyPrivately(interaction, card, locale, context, 'interaction.response-failed');
  return DONE;
}

/** The response to an unknown action: of an earlier version, of another card, or forged. */
export const replyStale = (
  request: InteractionRequest,
  context: Pick<CommandsContext, 'messenger' | 'time' | 'log'>,
): Promise<TaskResult> =>
  replyCard(request, textCard(localize(request.locale, 'commands.stale'), 'bad'), context);

import type { ChatEvent, Thread } from '../../../domain/index.ts';
import type { ParsedInteraction } from '../inbound/interactions.ts';
import {
  type FindBot,
  parseEvent,
  type ParsedEventCallback,
  type ParseOptions,
  toAuthorsInstallation,
} from '../inbound/parse-event.ts';
import { type Logs, NotAcceptedError, UnreadableBodyError } from '../inbound/receiver.ts';

type Outcome = 'queued' | 'done' | 'ignored';

export type ListenerDeps = ParseOptions & {
  /** Absent where the app has one installation. */
  readonly findBot?: FindBot;
  /** Records a chat event and enqueues its task. When it rejects, Slack gets a 503. */
  readonly handleChatEvent: (chatEvent: ChatEvent) => Promise<Outcome>;
  /** Opens a modal for an interaction, or enqueues it. When it rejects, Slack gets a 503. */
  readonly handleInteraction: (parsed: ParsedInteraction) => Promise<'queued' | 'opened'>;
  readonly now: () => number;
  readonly log: Logs;
};

/**
 * Parses an event and hands it over. Where the author's own workspace has an installation besides that which Slack says, the one
 * whose bot is named gets it, or else the one that is in the thread. Throws UnreadableBodyError or NotAcceptedError.
 */
export async function acceptBody(body: object, deps: ListenerDeps): Promise<void> {
  const { findBot } = deps;
  const own =
    findBot &&
    (await toAuthorsInstallation(body, findBot).catch((cause: unknown) => {
      throw new NotAcceptedError('The installation was not read', { cause });
    }));
  const outcome = own?.isNamed ? undefined : await acceptEvent(parseEvent(body, deps), deps);
  if (own && outcome !== 'queued') await acceptEvent(parseEvent(own.body, deps), deps);
}

/** Hands a parsed event over. Resolves with what came of it; undefined if it was dropped. Throws UnreadableBodyError or NotAcceptedError. */
export async function acceptEvent(
  parsed: ParsedEventCallback,
  { handleChatEvent, log }: ListenerDeps,
): Promise<Outcome | undefined> {
  switch (parsed.kind) {
    case 'unreadable':
      throw new UnreadableBodyError('The event lacks fields that Slack documents');
    case 'drop':
      log.debug('slack.dropped', { reason: parsed.reason });
      return undefined;
    case 'chatEvent': {
      const { chatEvent } = parsed;
      const outcome = await handleChatEvent(chatEvent).catch((cause: unknown) => {
        throw new NotAcceptedError('The event was not recorded or not enqueued', { cause });
      });
      log.info('slack.accepted', { kind: chatEvent.kind, outcome, ...toLogPlace(chatEvent) });
      return outcome;
    }
  }
}

/**
 * Hands a parsed interaction over. Undefined is dropped: it is not from a command, card or modal of this bot, and Slack
 * would show the person an error for a refusal. Throws NotAcceptedError.
 */
export async function acceptInteraction(
  parsed: ParsedInteraction | undefined,
  deps: ListenerDeps,
): Promise<void> {
  if (!parsed) return void (await acceptEvent({ kind: 'drop', reason: 'not-ours' }, deps));
  const outcome = await deps.handleInteraction(parsed).catch((cause: unknown) => {
    throw new NotAcceptedError('The interaction was not enqueued', { cause });
  });
  const { payload, channel } = parsed.interaction;
  deps.log.info('slack.accepted', { kind: payload.kind, outcome, channel });
}

/** The place of an event, for the log: that of a message has its workspace, by which `npx parley redrive` and `trace` find the stored question. */
function toLogPlace(chatEvent: ChatEvent): { workspace: string; channel?: string } | LoggedThread {
  if ('workspace' in chatEvent) {
    const { workspace } = chatEvent;
    return 'channel' in chatEvent ? { workspace, channel: chatEvent.channel } : { workspace };
  }
  const hasMessage = chatEvent.kind === 'message' || chatEvent.kind === 'message-edited';
  const { thread } = hasMessage ? chatEvent.message : chatEvent;
  if (chatEvent.kind === 'thread-stop-clicked') return thread;
  return { ...thread, message: hasMessage ? chatEvent.message.id : chatEvent.message };
}

type LoggedThread = Thread & { readonly message?: string };

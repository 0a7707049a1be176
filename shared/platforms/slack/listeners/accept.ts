import type { ChatEvent } from '../../../domain/index.ts';
import type { ParsedInteraction } from '../inbound/interactions.ts';
import type { ParsedEventCallback, ParseOptions } from '../inbound/parse-event.ts';
import { type Logs, NotAcceptedError, UnreadableBodyError } from '../inbound/receiver.ts';

export type ListenerDeps = ParseOptions & {
  /** Records a chat event and enqueues its task. When it rejects, Slack gets a 503. */
  readonly handleChatEvent: (chatEvent: ChatEvent) => Promise<'queued' | 'done' | 'ignored'>;
  /** Opens a modal for an interaction, or enqueues it. When it rejects, Slack gets a 503. */
  readonly handleInteraction: (parsed: ParsedInteraction) => Promise<'queued' | 'opened'>;
  readonly now: () => number;
  readonly log: Logs;
};

/** Hands a parsed event over. Throws UnreadableBodyError or NotAcceptedError. */
export async function acceptEvent(
  parsed: ParsedEventCallback,
  { handleChatEvent, log }: ListenerDeps,
): Promise<void> {
  switch (parsed.kind) {
    case 'unreadable':
      throw new UnreadableBodyError('The event lacks fields that Slack documents');
    case 'drop':
      return log.debug('slack.dropped', { reason: parsed.reason });
    case 'chatEvent': {
      const { chatEvent } = parsed;
      const outcome = await handleChatEvent(chatEvent).catch((cause: unknown) => {
        throw new NotAcceptedError('The event was not recorded or not enqueued', { cause });
      });
      return log.info('slack.accepted', { kind: chatEvent.kind, outcome, ...toLogPlace(chatEvent) });
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
  if (!parsed) return acceptEvent({ kind: 'drop', reason: 'not-ours' }, deps);
  const outcome = await deps.handleInteraction(parsed).catch((cause: unknown) => {
    throw new NotAcceptedError('The interaction was not enqueued', { cause });
  });
  const { payload, channel } = parsed.interaction;
  deps.log.info('slack.accepted', { kind: payload.kind, outcome, channel });
}

/** The place of an event, for the log. */
function toLogPlace(
  chatEvent: ChatEvent,
): { workspace: string; channel?: string } | { channel: string; root: string; message?: string } {
  if ('workspace' in chatEvent) {
    const { workspace } = chatEvent;
    return 'channel' in chatEvent ? { workspace, channel: chatEvent.channel } : { workspace };
  }
  const hasMessage = chatEvent.kind === 'message' || chatEvent.kind === 'message-edited';
  const { channel, root } = hasMessage ? chatEvent.message.thread : chatEvent.thread;
  if (chatEvent.kind === 'thread-stop-clicked') return { channel, root };
  return { channel, root, message: hasMessage ? chatEvent.message.id : chatEvent.message };
}

import type { ChatEvent } from '../../../domain/index.ts';
import {
  parseCommand,
  parseControl,
  type ParsedInteraction,
  parseHome,
  parseShortcut,
  parseSubmission,
} from './interactions.ts';
import type { Body } from './parse-body.ts';
import { parseButtonAction } from './block-actions.ts';
import { parse, type ParsedEventCallback, type ParseOptions } from './parse-event.ts';
import { parseReaction } from './reaction.ts';
import { type Listen, type Logs, NotAcceptedError, Unreadable } from './receiver.ts';

export type SlackAppDeps = ParseOptions & {
  /**
   * Takes in what may concern the bot. When it rejects, Slack sends an event again; of a press it tells the person that
   * it failed.
   */
  readonly onChatEvent: (chatEvent: ChatEvent) => Promise<'queued' | 'done' | 'ignored'>;
  /** Takes in what people call, press on cards and fill in. When it rejects, Slack tells the person that it failed. */
  readonly called: (parsed: ParsedInteraction) => Promise<'queued' | 'opened'>;
  readonly now: () => number;
  readonly log: Logs;
};

/** Events that mean something to the bot, as its manifest subscribes to them: see `eventsFor`. */
export const EVENTS: ReadonlySet<string> = new Set([
  'agent_session_stopped',
  'app_home_opened',
  'app_mention',
  'app_uninstalled',
  'message',
  'reaction_added',
  'team_access_revoked',
  'tokens_revoked',
]);

/**
 * The routes of the Slack front: from what Slack sends to what it means. Holds no token and calls nothing of Slack's.
 * What no route is for is passed over, since Slack takes anything but a 200 for a fault and sends it again.
 */
export function slackApp(deps: SlackAppDeps): Listen {
  return (type, body) => {
    switch (type) {
      case 'event_callback':
        return onEvent(body, deps);
      case 'block_actions':
        return onButton(body, deps);
      case 'command':
        return interact(parseCommand(body, deps.now()), deps);
      case 'message_action':
        return interact(parseShortcut(body, deps.now()), deps);
      case 'view_submission':
        return interact(parseSubmission(body, deps.now()), deps);
      default:
        return accept(NO_ROUTE, deps);
    }
  };
}

const NO_ROUTE: ParsedEventCallback = { kind: 'drop', reason: 'no-route' };

function onEvent(body: Body, deps: SlackAppDeps): Promise<void> {
  const { event } = body;
  const type = typeof event === 'object' && event !== null && 'type' in event ? event.type : undefined;
  if (type === 'app_home_opened') return interact(parseHome(body, deps.now()), deps);
  if (type === 'reaction_added') return interact(parseReaction(body, deps.now()), deps);
  return accept(typeof type === 'string' && EVENTS.has(type) ? parse(body, deps) : NO_ROUTE, deps);
}

/** A button under an answer, or a control of a card. */
function onButton(body: Body, deps: SlackAppDeps): Promise<void> {
  const control = parseControl(body, deps.now());
  return control ? interact(control, deps) : accept(parseButtonAction(body), deps);
}

/** Whatever is not a call as our own commands and cards make them is dropped: Slack would only show an error for it. */
async function interact(parsed: ParsedInteraction | undefined, deps: SlackAppDeps): Promise<void> {
  if (!parsed) return accept({ kind: 'drop', reason: 'not-ours' }, deps);
  const outcome = await deps.called(parsed).catch((cause: unknown) => {
    throw new NotAcceptedError('a call could not be taken in', { cause });
  });
  const { call: made, channel } = parsed.invocation;
  deps.log.info('slack.taken', { kind: made.kind, outcome, channel });
}

async function accept(parsed: ParsedEventCallback, { onChatEvent, log }: SlackAppDeps): Promise<void> {
  switch (parsed.kind) {
    case 'unreadable':
      throw new Unreadable('an event that is not as Slack sends them');
    case 'drop':
      return log.debug('slack.dropped', { reason: parsed.reason });
    case 'chatEvent': {
      const { chatEvent } = parsed;
      const outcome = await onChatEvent(chatEvent).catch((cause: unknown) => {
        throw new NotAcceptedError('what happened could not be taken in', { cause });
      });
      return log.info('slack.taken', { kind: chatEvent.kind, outcome, ...placeOf(chatEvent) });
    }
  }
}

/** Where it happened, for the log. */
function placeOf(
  chatEvent: ChatEvent,
): { workspace: string } | { channel: string; root: string; message?: string } {
  if (chatEvent.kind === 'removed' || chatEvent.kind === 'access-revoked')
    return { workspace: chatEvent.workspace };
  const told = chatEvent.kind === 'message' || chatEvent.kind === 'edited';
  const { channel, root } = told ? chatEvent.message.thread : chatEvent.thread;
  if (chatEvent.kind === 'stopped') return { channel, root };
  return { channel, root, message: told ? chatEvent.message.id : chatEvent.message };
}

import { createManualClock } from '../manual-clock.ts';
import type { Json } from './state.ts';
import { createWorkspace, type WorkspaceOptions } from './workspace.ts';

export const ADA = 'U0ADA00000';
export const GRACE = 'U0GRACE000';

/** A workspace with a manual clock and all its events. */
export function setUp(options: WorkspaceOptions = {}) {
  const clock = createManualClock();
  const workspace = createWorkspace({ clock: clock.now, ...options });
  const call = (method: string, args: Record<string, unknown> = {}) =>
    workspace.call(method, args, workspace.identity.botToken);
  const events: Json[] = [];
  workspace.onEvent((envelope) => events.push(envelope));
  const { channel } = workspace;
  const recipient = { recipient_team_id: workspace.identity.teamId, recipient_user_id: ADA };
  return { clock, workspace, call, events, channel, recipient };
}

/** The event inside its envelope. */
export const inner = (envelope: Json | undefined): Json => {
  const event = envelope?.['event'];
  if (typeof event !== 'object' || event === null || Array.isArray(event)) throw new Error('no event');
  return event;
};

/** The response URL of an interaction. */
export const responseUrl = (interaction: Json): string => text(interaction['response_url']);

/** A value that must be a text. */
export const text = (value: unknown): string => {
  if (typeof value !== 'string') throw new Error(`not a text: ${JSON.stringify(value)}`);
  return value;
};

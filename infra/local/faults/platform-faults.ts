import type { DiscordSimulator } from '../../../test/simulators/discord/index.ts';
import type { SlackSimulator } from '../../../test/simulators/slack/index.ts';
import type { Fault } from './fault-switches.ts';

export type SimulatedPlatforms = {
  readonly slack: SlackSimulator | undefined;
  readonly discord: DiscordSimulator | undefined;
};

const REAL_PLATFORMS = 'Slack and Discord are real. Only simulated platforms have this fault.';
/** How often Slack delivers each event, the first time included. */
const COPIES = 3;
/** Events of Discord that its gateway may repeat after a resume. */
const REPEATED_DISPATCHES: ReadonlySet<string> = new Set([
  'MESSAGE_CREATE',
  'MESSAGE_UPDATE',
  'MESSAGE_DELETE',
]);

/** Faults of the simulated Slack and Discord; unavailable if both are real. */
export function listPlatformFaults({ slack, discord }: SimulatedPlatforms): Fault[] {
  const unavailable = slack || discord ? undefined : REAL_PLATFORMS;
  return [
    {
      name: 'platform-limits',
      title: 'Slack and Discord reject (429)',
      effect: 'Every request to the simulated platforms gets 429. Answers appear once they may be posted.',
      unavailable,
      begin: () => {
        const busy = { kind: 'busy', retryAfter: 1, times: Infinity } as const;
        const removals = [slack?.faults.add(busy), discord?.faults.add(busy)];
        return () => {
          for (const remove of removals) remove?.();
        };
      },
    },
    {
      name: 'duplicate-events',
      title: 'Duplicate events',
      effect: `Slack delivers each event ${COPIES} times, Discord's gateway each message twice. People see one answer.`,
      unavailable,
      begin: () => {
        slack?.delivery.setCopies(COPIES);
        const removeRepeat = discord && repeatDispatches(discord);
        return () => {
          slack?.delivery.setCopies(1);
          removeRepeat?.();
        };
      },
    },
  ];
}

function repeatDispatches({ core: { context } }: DiscordSimulator): () => void {
  const repeat = (dispatch: Parameters<Parameters<typeof context.onDispatch.add>[0]>[0]): void => {
    if (!REPEATED_DISPATCHES.has(dispatch.t)) return;
    for (const listener of context.onDispatch) if (listener !== repeat) listener(dispatch);
  };
  context.onDispatch.add(repeat);
  return () => void context.onDispatch.delete(repeat);
}

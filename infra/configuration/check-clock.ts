import { type Check, fail, pass, warn } from './check.ts';
import type { Probe } from './probe.ts';

/** A difference from which on the clock is reported. Smaller ones may be the delay of the network. */
const MAX_UNREPORTED_MS = 30_000;
/** Slack rejects nothing, but Parley rejects requests with a signature that is older than this: `inbound/verify.ts`. */
const MAX_SLACK_SKEW_MS = 300_000;
/** Parley accepts Discord's signatures for three minutes back and one ahead. */
const MAX_DISCORD_AHEAD_MS = 180_000;
const MAX_DISCORD_BEHIND_MS = 60_000;
/** The header has whole seconds. On average the real time is half a second later. */
const HALF_SECOND_MS = 500;

/** Which services post signed requests to this machine. */
export type SignedRequests = { readonly slack: boolean; readonly discord: boolean };

export type ClockSample = {
  /** The origin of the service. */
  readonly origin: string;
  /** How far the clock of this machine is ahead of the service's, in ms. Negative: behind. */
  readonly aheadMs: number;
};

/** Records the clocks of the services that answer through the returned probe: `samples` grows with each response. */
export function sampleClocks(probe: Probe, samples: ClockSample[]): Probe {
  return async (url, request) => {
    const response = await probe(url, request);
    const sent = response.kind === 'answered' ? Date.parse(response.headers.get('date') ?? '') : Number.NaN;
    if (response.kind === 'answered' && !Number.isNaN(sent))
      samples.push({ origin: new URL(url).origin, aheadMs: response.receivedAt - sent - HALF_SECOND_MS });
    return response;
  };
}

/**
 * Evaluates the clock of this machine against the first service that answered. A clock that is so wrong that Parley would
 * reject every signed request fails. Empty if no service told its time.
 */
export function evaluateClock(samples: readonly ClockSample[], signed: SignedRequests): Check[] {
  const [sample] = samples;
  if (sample === undefined) return [];
  const { origin, aheadMs } = sample;
  if (Math.abs(aheadMs) < MAX_UNREPORTED_MS) return [pass('Clock', `agrees with ${origin}.`)];
  const refusesSlack = signed.slack && Math.abs(aheadMs) > MAX_SLACK_SKEW_MS;
  const refusesDiscord =
    signed.discord && (aheadMs > MAX_DISCORD_AHEAD_MS || aheadMs < -MAX_DISCORD_BEHIND_MS);
  const difference = `is ${Math.round(Math.abs(aheadMs) / 1_000)} s ${aheadMs > 0 ? 'ahead of' : 'behind'} ${origin}`;
  const rejected = [...(refusesSlack ? ['Slack'] : []), ...(refusesDiscord ? ['Discord'] : [])];
  if (rejected.length === 0)
    return [warn('Clock', `${difference}. Signed requests are rejected if it gets worse.`, SYNCHRONIZE)];
  return [
    fail('Clock', `${difference}: every request of ${rejected.join(' and ')} is rejected.`, SYNCHRONIZE),
  ];
}

const SYNCHRONIZE =
  'Synchronize the clock. Linux: sudo timedatectl set-ntp true. macOS: sudo sntp -sS time.apple.com. WSL: sudo hwclock -s.';

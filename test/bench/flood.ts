import { performance } from 'node:perf_hooks';
import { setTimeout as after } from 'node:timers/promises';
import { readContextOptions } from '../../infra/cdk/context-options.ts';
import { buildTemplate } from '../../infra/local/template/build.ts';
import type { TemplateBuild } from '../../infra/local/emulator.ts';
import { ROUTES } from '../../shared/runtime/shared-names.ts';
import { dataFolder, type JourneyHarness, startJourneyHarness } from '../journeys/harness.ts';
import { sign } from '../simulators/slack/index.ts';
import { percentile, type Row } from './report-table.ts';

const SECONDS = 6;
/** The rate of a busy workspace: Slack throttles events above 30,000 an hour. */
const SIGNED_PER_SECOND = 10;
/** A rate that one machine of a stranger can send, and three times the default limit of the API. */
const FLOOD_PER_SECOND = 300;
const FLOOD_BODY = JSON.stringify({ type: 'event_callback', event: { text: 'x'.repeat(16_384) } });
/** Has the form of a signature, so that the front must verify it. */
const FORGED = `v0=${'0'.repeat(64)}`;

type Flood = { readonly path: string; readonly perSecond: number };
type Sent = { readonly status: number; readonly ms: number };

/**
 * Signed Slack events beside a flood of unsigned ones, through the local HTTP API with the throttles of the template
 * and the deployed front. API Gateway itself throttles by best effort, and gives each request an instance of the
 * function.
 */
export async function flood(): Promise<Row[]> {
  const { slackEvents, discordEvents } = ROUTES;
  const byDefault = await measured({
    'a flood of 80/s on the same address, below the throttle': { path: slackEvents, perSecond: 80 },
    [`a flood of ${FLOOD_PER_SECOND}/s on another address`]: {
      path: discordEvents,
      perSecond: FLOOD_PER_SECOND,
    },
  });
  // Without a limit: nothing before the front can tell a forged signature. A firewall that counts by address can.
  const above = await measured(
    {
      [`a flood of ${FLOOD_PER_SECOND}/s on the same address, throttled to 100/s`]: {
        path: slackEvents,
        perSecond: FLOOD_PER_SECOND,
      },
    },
    { bounded: false },
  );
  const raised = await measured(
    {
      [`the same with -c apiRate=${2 * FLOOD_PER_SECOND}`]: {
        path: slackEvents,
        perSecond: FLOOD_PER_SECOND,
      },
    },
    { rate: 2 * FLOOD_PER_SECOND },
  );
  return [...byDefault, ...above, ...raised];
}

async function measured(
  floods: Readonly<Record<string, Flood>>,
  { rate, bounded = true }: { readonly rate?: number; readonly bounded?: boolean } = {},
): Promise<Row[]> {
  const folder = dataFolder();
  const journey = await startJourneyHarness(folder.path, {
    build: async () => throttledTo(await buildTemplate(), rate),
  });
  try {
    const rows: Row[] = [];
    for (const [what, one] of Object.entries(floods)) {
      const signed = await besides(journey, one);
      const lost = (100 * signed.filter(({ status }) => status !== 200).length) / signed.length;
      rows.push({
        what: `${what}: signed events refused`,
        value: lost,
        unit: '%',
        ...(bounded && { limit: 0 }),
      });
      if (!bounded) continue;
      const acknowledged = percentile(
        signed.map(({ ms }) => ms),
        0.99,
      );
      rows.push({
        what: `${what}: signed events acknowledged, p99`,
        value: acknowledged,
        unit: 'ms',
        limit: 3_000,
      });
    }
    return rows;
  } finally {
    await journey.system.close();
    folder.remove();
  }
}

/** The template with another throttle for the platforms' routes. */
function throttledTo(built: TemplateBuild, rate: number | undefined): TemplateBuild {
  if (rate === undefined) return built;
  const { apiRate, apiBurst } = readContextOptions(() => undefined);
  const raised = (name: string, value: unknown): unknown => {
    if (name === 'ThrottlingRateLimit' && value === apiRate) return rate;
    return name === 'ThrottlingBurstLimit' && value === apiBurst ? 2 * rate : value;
  };
  return { ...built, template: JSON.parse(JSON.stringify(built.template), raised) };
}

/** The results of the signed events during the flood. */
async function besides(
  { system, slack }: JourneyHarness,
  { path, perSecond }: Flood,
): Promise<readonly Sent[]> {
  const { api } = system.local;
  const url = `${api}${ROUTES.slackEvents}`;
  // Loads the function, and lets the flood use up the throttle of its route before the measurement.
  await post(url, signedEvent(slack, -1));
  const flooding = steadily(perSecond, SECONDS + 2, (n) => post(`${api}${path}`, forged(n)));
  await after(2_000);
  const signed = await steadily(SIGNED_PER_SECOND, SECONDS, (n) => post(url, signedEvent(slack, n)));
  await flooding;
  return signed;
}

async function steadily<T>(
  perSecond: number,
  seconds: number,
  act: (n: number) => Promise<T>,
): Promise<readonly T[]> {
  const start = performance.now();
  const acts: Promise<T>[] = [];
  for (let n = 0; n < perSecond * seconds; n += 1) {
    await after(Math.max(0, start + (n * 1_000) / perSecond - performance.now()));
    acts.push(act(n));
  }
  return Promise.all(acts);
}

type Signed = { readonly body: string; readonly signature: string; readonly timestamp: number };

async function post(url: string, { body, signature, timestamp }: Signed): Promise<Sent> {
  const start = performance.now();
  const headers = {
    'content-type': 'application/json',
    'x-slack-request-timestamp': String(timestamp),
    'x-slack-signature': signature,
    'x-signature-ed25519': '0'.repeat(128),
    'x-signature-timestamp': String(timestamp),
  };
  const response = await fetch(url, { method: 'POST', headers, body });
  await response.arrayBuffer();
  return { status: response.status, ms: performance.now() - start };
}

const seconds = (): number => Math.floor(Date.now() / 1_000);

const forged = (n: number): Signed => ({
  body: `${FLOOD_BODY}${' '.repeat(n % 10)}`,
  signature: FORGED,
  timestamp: seconds(),
});

/** Messages of people in a thread without the bot: most of what a workspace sends. */
function signedEvent(
  { signingSecret, teamId, botUserId, channel }: JourneyHarness['slack'],
  n: number,
): Signed {
  const ts = `17000${String(n + 1).padStart(5, '0')}.000100`;
  const body = JSON.stringify({
    type: 'event_callback',
    team_id: teamId,
    event_id: `Ev${n}`,
    authorizations: [{ enterprise_id: null, team_id: teamId, user_id: botUserId, is_bot: true }],
    event: {
      type: 'message',
      channel_type: 'channel',
      user: 'U0ADA00000',
      text: 'See you at lunch.',
      ts,
      event_ts: ts,
      channel,
      thread_ts: '1699999999.000100',
    },
  });
  const timestamp = seconds();
  return { body, signature: sign(signingSecret, timestamp, body), timestamp };
}

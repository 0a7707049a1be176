import { createHmac } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setTimeout as after } from 'node:timers/promises';
import { dataFolder, type JourneyHarness, startJourneyHarness } from '../journeys/harness.ts';
import { firstVisible } from './first-word.ts';
import { percentile, type Row } from './report-table.ts';

const EVENTS = 250;
const EVENTS_PER_SECOND = 50;

/** The response times of the local system for people and Slack, over its real HTTP, queue, tables and functions. */
export async function latency(): Promise<Row[]> {
  const folder = dataFolder();
  const journey = await startJourneyHarness(folder.path, { upstream: { paceMs: 0 } });
  try {
    const firstWords = await firstVisible(journey);
    const acknowledgements = await acknowledged(journey);
    return [
      {
        what: 'event to first visible text, median',
        value: percentile(firstWords, 0.5),
        unit: 'ms',
        limit: 60,
      },
      { what: 'event to first visible text, p95', value: percentile(firstWords, 0.95), unit: 'ms' },
      {
        what: `acknowledgement at ${EVENTS_PER_SECOND} events/s, p50`,
        value: percentile(acknowledgements, 0.5),
        unit: 'ms',
      },
      {
        what: `acknowledgement at ${EVENTS_PER_SECOND} events/s, p99`,
        value: percentile(acknowledgements, 0.99),
        unit: 'ms',
        limit: 50,
      },
    ];
  } finally {
    await journey.system.close();
    folder.remove();
  }
}

/** Signed events without a mention, and mentions among them, at a steady rate: the time until the front's 200. */
async function acknowledged({ system, slack }: JourneyHarness): Promise<number[]> {
  const url = `${system.local.api}/slack/events`;
  const sent: Promise<number>[] = [];
  const start = performance.now();
  for (let i = 0; i < EVENTS; i += 1) {
    await after(Math.max(0, start + (i * 1000) / EVENTS_PER_SECOND - performance.now()));
    sent.push(post(url, slack.signingSecret, event(i, slack.botUserId, slack.teamId, slack.channel)));
  }
  return Promise.all(sent);
}

async function post(url: string, secret: string, body: string): Promise<number> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex');
  const start = performance.now();
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-slack-request-timestamp': timestamp,
      'x-slack-signature': `v0=${signature}`,
    },
    body,
  });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`the front answered ${response.status}`);
  return performance.now() - start;
}

/** Every fifth is a mention; the rest are messages in threads without the bot. */
function event(i: number, bot: string, team: string, channel: string): string {
  const ts = `17000${String(i).padStart(5, '0')}.000100`;
  const mention = i % 5 === 0;
  return JSON.stringify({
    type: 'event_callback',
    team_id: team,
    api_app_id: 'A0BENCH000',
    event_id: `Ev${i}`,
    event_time: 1_700_000_000,
    authorizations: [{ enterprise_id: null, team_id: team, user_id: bot, is_bot: true }],
    event: {
      type: mention ? 'app_mention' : 'message',
      channel_type: 'channel',
      user: 'U0ADA00000',
      text: mention ? `<@${bot}> What is ${i} + 1?` : 'See you at lunch.',
      ts,
      event_ts: ts,
      channel,
      ...(mention ? {} : { thread_ts: '1699999999.000100' }),
    },
  });
}

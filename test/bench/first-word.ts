import { performance } from 'node:perf_hooks';
import { setTimeout as after } from 'node:timers/promises';
import { dataFolder, type JourneyHarness, startJourneyHarness } from '../journeys/harness.ts';
import { bareStart, inBareStarts } from './bare-node.ts';
import { percentile, type Row } from './report-table.ts';

const QUESTIONS = 30;
const WARM_UP = 10;
const WANTED = [
  [0, 20],
  [20, 100],
] as const;

/** In a channel an answer starts with its first sentence, or after 800 ms. */
const SENTENCE = 'The first sentence of this answer is about as long as most are, and more follows. '.repeat(
  4,
);
const SENTENCE_LIMIT_MS = 900;

/** The part of the time to the first visible word that is not the upstream's. */
export async function firstWord(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [paceMs, limit] of WANTED) {
    const folder = dataFolder();
    const journey = await startJourneyHarness(folder.path, { upstream: { paceMs } });
    try {
      const firstVisibleMs = await firstVisible(journey);
      if (paceMs > 0) rows.push(await firstSentence(journey, paceMs));
      const own = await ownTime(journey);
      const pace = paceMs === 0 ? 'an upstream that answers at once' : `${paceMs} ms per token`;
      const what = `event to first word less the upstream's own, ${pace}`;
      const value = percentile(firstVisibleMs, 0.5) - percentile(own, 0.5);
      rows.push({ what, value, unit: 'ms', limit }, inBareStarts(what, value, limit, bareStart()));
    } finally {
      await journey.system.close();
      folder.remove();
    }
  }
  return rows;
}

/** Any model without reasoning. */
const MODEL = 'model-c';

/**
 * From a question to the first text of the bot in its thread, in a direct message: in channels an answer waits for
 * its first sentence. One question at a time, within the limit.
 */
export async function firstVisible({ slack }: JourneyHarness): Promise<number[]> {
  const channel = slack.core.identity.users[0]?.id.replace(/^U/u, 'D') ?? '';
  const times: number[] = [];
  for (let i = 0; i < QUESTIONS + WARM_UP; i += 1) {
    const start = performance.now();
    const thread = await slack.say('ada', `What is ${i} + 1?`, { channel });
    await slack.core.until(() => {
      const messages = [...(slack.core.state.messages.get(channel)?.values() ?? [])];
      return messages.find((one) => one.thread === thread && one.user === slack.botUserId && one.text !== '');
    });
    if (i >= WARM_UP) times.push(performance.now() - start);
    // The chat limit is two a second: a question that waits for its permit would measure the limit.
    await after(550);
  }
  return times;
}

/** The same in a channel, with a long answer. */
async function firstSentence({ slack }: JourneyHarness, paceMs: number): Promise<Row> {
  const times: number[] = [];
  for (let i = 0; i < 10; i += 1) {
    const start = performance.now();
    const thread = await slack.say('ada', `@parley [[sim:say=${SENTENCE}]]`);
    const answers = () =>
      [...(slack.core.state.messages.get(slack.channel)?.values() ?? [])].filter(
        (one) => one.thread === thread,
      );
    await slack.core.until(() => answers().find((one) => one.text !== ''));
    times.push(performance.now() - start);
    await slack.core.until(() => answers().find((one) => one.stream?.open !== true));
    await after(550);
  }
  const what = `event to first sentence in a channel, ${paceMs} ms per token`;
  return { what, value: percentile(times, 0.5), unit: 'ms', limit: SENTENCE_LIMIT_MS };
}

/** From a request to the upstream itself to the first word of its response. */
async function ownTime({ system }: JourneyHarness): Promise<number[]> {
  const { baseUrl, apiKey } = system.local.upstream;
  const times: number[] = [];
  for (let i = 0; i < 10; i += 1) {
    const start = performance.now();
    const response = await fetch(`${baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
      body: JSON.stringify({
        model: MODEL,
        stream: true,
        messages: [{ role: 'user', content: `What is ${i} + 1?` }],
      }),
    });
    times.push(await untilWord(response, start));
    await after(550);
  }
  return times;
}

/** Reads a stream to its end; returns when its first word arrived, in ms since `start`. */
async function untilWord(response: Response, start: number): Promise<number> {
  let first = NaN;
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString();
    if (Number.isNaN(first) && /"content":\s*"[^"]/u.test(text)) first = performance.now() - start;
  }
  return first;
}

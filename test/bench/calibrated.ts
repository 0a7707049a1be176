import { createHash, createHmac } from 'node:crypto';
import { sanitize, inCharacters, split } from '../../shared/platforms/markdown/index.ts';
import { createVerifier } from '../../shared/platforms/discord/index.ts';
import { readClaim, verify } from '../../shared/platforms/slack/inbound/verify.ts';
import { applicationKeys } from '../platforms/discord/keys.ts';
import { prose } from './prose.ts';
import type { Row } from './report-table.ts';
import { callsOf } from './showing.ts';
import { decodeStream, streamOf } from './sse.ts';

/** A piece of work that is measured, and what it may need at most, in runs of the calibration loop. */
type Work = { readonly what: string; readonly limit: number; readonly run: Run };
type Run = () => Promise<unknown>;

const ROUNDS = 5;
const NOW_S = 1_790_000_000;
const ANSWER_TOKENS = 1_000;
const STREAM_BYTES = 4 * 1024 * 1024;
const ANSWERS = 10;
const TEXTS = 500;
const SLACK_REQUESTS = 10_000;
const DISCORD_REQUESTS = 1_000;

/**
 * Processor time of what an answer consists of, as a multiple of a loop of plain work on the same machine in the same process. The
 * limits are three times what was measured, so that a machine does not miss them, but a quadratic function or a forgotten cache does.
 */
export async function calibrated(): Promise<Row[]> {
  const works = createWorks();
  const runs = [runCalibration, ...works.map(({ run }) => run)];
  const best = runs.map(() => Infinity);
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [index, run] of runs.entries())
      best[index] = Math.min(best[index] ?? Infinity, await measureMs(run));
  const [unit = Number.NaN, ...times] = best;
  return works.map(({ what, limit }, index) => ({
    what: `${what}, by the calibration loop`,
    value: (times[index] ?? Number.NaN) / unit,
    unit: 'x',
    limit,
  }));
}

/** The processor time of this thread (ms). Other load on the machine only adds to it, so the least of several rounds counts. */
async function measureMs(run: Run): Promise<number> {
  const before = process.threadCpuUsage();
  await run();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

/** Plain work that no change of this project makes faster: JSON, hashes and texts. About 150 ms: systems count processor time in steps of up to 10 ms. */
const runCalibration: Run = () => {
  const items = Array.from({ length: 300 }, (_, id) => ({ id, text: `item ${id}`, tags: ['a', 'b'] }));
  let text = '';
  for (let turn = 0; turn < 400; turn += 1) {
    text = JSON.stringify(JSON.parse(JSON.stringify(items)));
    createHash('sha256').update(text).digest('hex');
    text
      .split(',')
      .map((part) => part.toUpperCase())
      .join(';');
  }
  return Promise.resolve(text);
};

function createWorks(): Work[] {
  const chunks = [streamOf(STREAM_BYTES)];
  const answer = `${prose(2_000, 1)}\n\n| a | b |\n|---|---|\n${'| one | two |\n'.repeat(50)}\n\`\`\`ts\n${prose(2_000, 2)}\n\`\`\`\n`;
  return [
    {
      what: `Reading a stream of 4 MB from the models`,
      limit: LIMITS.stream,
      run: () => decodeStream(chunks),
    },
    {
      what: `Showing ${ANSWERS} answers of ${ANSWER_TOKENS} tokens in Slack as they grow`,
      limit: LIMITS.showing,
      run: async () => {
        for (let turn = 0; turn < ANSWERS; turn += 1) await callsOf(ANSWER_TOKENS);
      },
    },
    {
      what: `Removing mentions and hidden links from ${TEXTS} texts of 5 KB, and splitting them`,
      limit: LIMITS.markdown,
      run: () => Promise.resolve(repeat(TEXTS, () => split(sanitize(answer), inCharacters(1_900)))),
    },
    {
      what: `Verifying ${SLACK_REQUESTS} requests of Slack`,
      limit: LIMITS.slack,
      run: createSlackVerification(),
    },
    {
      what: `Verifying ${DISCORD_REQUESTS} requests of Discord`,
      limit: LIMITS.discord,
      run: createDiscordVerification(),
    },
  ];
}

/** Three times the most of five runs. */
const LIMITS = { stream: 0.5, showing: 1.3, markdown: 1, slack: 1.4, discord: 2.7 } as const;

function createSlackVerification(): Run {
  const body = Buffer.alloc(2_000, 'x');
  const digest = createHmac('sha256', 'secret').update(`v0:${NOW_S}:`).update(body).digest('hex');
  const headers = new Map([
    ['x-slack-request-timestamp', String(NOW_S)],
    ['x-slack-signature', `v0=${digest}`],
  ]);
  return () => {
    repeat(SLACK_REQUESTS, () => {
      const claim = readClaim((name) => headers.get(name), NOW_S * 1_000);
      if (claim === undefined || !verify(body, claim, ['secret']))
        throw new Error('A valid signature was refused');
    });
    return Promise.resolve();
  };
}

function createDiscordVerification(): Run {
  const body = Buffer.alloc(2_000, 'x');
  const { publicKey, headers } = applicationKeys();
  const signed = headers(body, NOW_S);
  const isValid = createVerifier(publicKey);
  return () => {
    repeat(DISCORD_REQUESTS, () => {
      if (!isValid(body, (name) => signed[name], NOW_S * 1_000))
        throw new Error('A valid signature was refused');
    });
    return Promise.resolve();
  };
}

function repeat(count: number, run: () => unknown): void {
  for (let turn = 0; turn < count; turn += 1) run();
}

import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import * as v from 'valibot';
import { PICTURES } from '../image-files/pictures.ts';
import { ADA } from '../simulators/discord/index.ts';
import type { FaultRule } from '../simulators/upstream/stream/faults.ts';
import { type DiscordHarness, startDiscordHarness } from './discord-harness.ts';
import { collectSecrets, readTables } from './expect-no-secrets.ts';
import { answersIn, botMessages, queuesAreEmpty, waitUntil } from './harness.ts';
import { slackAudioClip, voiceMessage } from './recordings.ts';
import { slackAsker } from './slack-asker.ts';
import { VIDEOS } from './erasure-traces.ts';

/** A failure of a model shows its status, code and request id to people and in the log. */
let harness: DiscordHarness;

beforeAll(async () => {
  harness = await startDiscordHarness({ variables: VIDEOS });
});
afterAll(() => harness.close());
const { ask } = slackAsker(() => harness.journey());

beforeEach(() => harness.journey().upstream.control.clearFaults());

const fail = (path: string, containing?: string): void => {
  const rule: FaultRule = { fault: { kind: 'error', status: 400, code: 'bad_sample' }, path };
  harness.journey().upstream.control.addFault(containing === undefined ? rule : { ...rule, containing });
};

const logged = (event: string): unknown[] =>
  readdirSync(join(harness.folder, 'logs'))
    .flatMap((name) => readFileSync(join(harness.folder, 'logs', name), 'utf8').split('\n'))
    .filter((line) => line.includes(`"${event}"`))
    .map((line): unknown => JSON.parse(line));

const logLine = v.looseObject({ requestId: v.optional(v.string()) });

/** Resolves with the log line of an event for the request whose id a card shows. */
async function logLineFor(event: string, card: string): Promise<unknown> {
  const [, requestId] = /HTTP 400 · bad_sample · request (req[\w-]+)/u.exec(card) ?? [];
  const findLine = () => logged(event).find((line) => v.parse(logLine, line).requestId === requestId);
  await waitUntil(() => findLine() !== undefined);
  return findLine();
}
const FACTS = { status: 400, code: 'bad_sample' };

/** The messages of the bot in a thread of Slack, ephemeral ones included. */
const inSlack = (thread: string, words: RegExp): Promise<string> => {
  const { slack } = harness.journey();
  return slack.core.until(() =>
    botMessages(slack, thread)
      .map(({ text, blocks }) => JSON.stringify([text, blocks]))
      .find((one) => words.test(one)),
  );
};

describe('a failed transcription', () => {
  test('in Slack: card and log have status, code and request id', async () => {
    const { slack } = harness.journey();
    const thread = await slack.say('ada', '', { files: [await slackAudioClip([2, 4])] });
    fail('/v1/transcription_or_translation');
    await slack.shortcut('ada', 'transcribe', thread);
    expect(
      await logLineFor('voice.transcription-failed', await inSlack(thread, /Details for support/u)),
    ).toMatchObject(FACTS);
  });

  test('in Discord: card and log have status, code and request id', async () => {
    const discord = harness.discord();
    const message = discord.say('ada', undefined, '', await voiceMessage([4, 2]));
    fail('/v1/transcription_or_translation');
    await discord.menu('ada', message, 'Transcribe');
    const card = await harness.once(ADA, /Details for support/u, message);
    expect(await logLineFor('voice.transcription-failed', JSON.stringify(card.one))).toMatchObject(FACTS);
  });
});

describe('a failed video', () => {
  const content = Buffer.from(PICTURES.png, 'base64');

  test('in Slack: card and log have status, code and request id', async () => {
    const { slack } = harness.journey();
    const thread = await slack.say('ada', 'Look at this.', { files: [{ name: 'sea.png', content }] });
    fail('/v2/', 'image_url');
    await slack.shortcut('ada', 'animate-form', thread);
    await slack.core.until(() => [...slack.core.state.views.values()].find(({ kind }) => kind === 'modal'));
    await slack.submit('ada', { prompt: 'Waves.' });
    expect(
      await logLineFor('video.submit-failed', await inSlack(thread, /Details for support/u)),
    ).toMatchObject(FACTS);
  });

  test('in Discord that the service ends: the card names the request', async () => {
    const discord = harness.discord();
    harness.journey().upstream.control.change({ queueMs: 0, runMs: 200, webhookSent: 'done' });
    const files = [{ name: 'sea.png', content, contentType: 'image/png' }];
    const message = discord.say('ada', undefined, 'Look at this.', { files });
    const outcome = await discord.menu('ada', message, 'Animate');
    await discord.core.until(() => discord.core.state.interactions.get(outcome.id)?.shown);
    await discord.submit('ada', outcome.id, { prompt: '[[sim:fail=It is too dark.]] Waves.' });
    const card = await harness.once(ADA, /Details for support/u, message);
    const [job] = harness.journey().upstream.control.jobs().slice(-1);
    expect(JSON.stringify(card.one)).toContain(`request ${job?.id}`);
    await waitUntil(() => logged('video.job-ended').length > 1);
    expect(logged('video.job-ended')).toContainEqual(
      expect.objectContaining({ state: 'failed', requestId: job?.id }),
    );
  });
});

test('a failed question is not asked again, and `why` has status, code and request id', async () => {
  harness.journey().upstream.control.addFault({
    fault: { kind: 'error', status: 400, code: 'bad_sample' },
    containing: '2 + 2',
  });
  const { sent, why } = await ask('What is 2 + 2?');
  expect(sent.map(({ status }) => status)).toEqual([400]);
  expect(why).toMatch(/HTTP 400 · bad_sample.*req_/u);
  harness.journey().upstream.control.addFault({
    fault: { kind: 'error', status: 500 },
    containing: '3 + 3',
  });
  expect((await ask('What is 3 + 3?')).why).toMatch(/HTTP 500.*req_/u);
});

test('a failed command: the response and the log have status, code and request id', async () => {
  const { slack } = harness.journey();
  fail('/v1/chat/completions');
  await slack.command('ada', '/parley ask private:yes What is 1 + 1?');
  const card = await slack.core.until(() =>
    [...(slack.core.state.messages.get(slack.channel)?.values() ?? [])]
      .filter(({ ephemeralTo }) => ephemeralTo !== undefined)
      .map(({ text, blocks }) => JSON.stringify([text, blocks]))
      .find((one) => one.includes('Details for support')),
  );
  expect(await logLineFor('command.model-failed', card)).toMatchObject(FACTS);
});

test('the check of every journey finds a key in a log and a message, and reads the tables', async () => {
  const { system, slack } = harness.journey();
  const { apiKey } = system.upstream;
  const file = join(harness.folder, 'logs', 'leak.log');
  writeFileSync(file, `authorization: ${apiKey}`);
  const expectNoSecrets = await collectSecrets(harness.folder, system);
  expect(expectNoSecrets).toThrow('the log leak.log holds a key');
  rmSync(file);
  expect(expectNoSecrets).not.toThrow();

  const leaked = await slack.say('ada', apiKey);
  expect(expectNoSecrets).toThrow('a message holds a key');
  slack.core.edit(slack.users[0]?.id ?? '', slack.channel, leaked, 'Nothing.');
  expect(expectNoSecrets).not.toThrow();

  const thread = await slack.say('ada', '@parley What is 4711 + 1?');
  await answersIn(slack, thread);
  await queuesAreEmpty(system);
  expect(await readTables(system)).toContain('4711');
});

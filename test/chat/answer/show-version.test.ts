import { describe, expect, test } from '@jest/globals';
import { messageId, userId } from '../../../shared/domain/index.ts';
import { localize as text } from '../../../shared/i18n/index.ts';
import { completionHarness, endEvent, outcomeOf } from '../completion-harness.ts';
import { THREAD, threadHarness } from '../thread-harness.ts';

const press = (at: string, choice?: string, by = 'U1') =>
  ({
    kind: 'button-clicked',
    thread: THREAD,
    message: messageId('1.1'),
    by: userId(by),
    at,
    action: { kind: 'version', choice },
  }) as const;
const words = (content: string) => ({ type: 'text', text: content }) as const;
const THREE = [words('Red.'), endEvent('Red.', { alternatives: ['Blue.', 'Green.'] })];

async function askedForThree() {
  const world = threadHarness([[words('First.'), endEvent('First.')], THREE]);
  await world.say('1.1', 'U1', 'Which colour?');
  await world.queued();
  world.time.advance(2_000);
  await world.take(press('8.1'));
  await world.queued();
  return world;
}

describe('“Three versions”', () => {
  test('stores all versions and shows the first', async () => {
    const { outcome } = await askedForThree();
    expect(await outcome('1.1')).toMatchObject({ text: 'Red.', versions: ['Red.', 'Blue.', 'Green.'] });
  });

  test('makes the chosen version the answer, in the history too, without a request', async () => {
    const { take, queued, outcome, prompts, full, say, time } = await askedForThree();
    time.advance(2_000);
    await take(press('8.2', '3'));
    await queued();
    expect(prompts).toHaveLength(2);
    expect(await outcome('1.1')).toMatchObject({ text: 'Green.', version: 3, finish: 'stop' });
    time.advance(2_000);
    await take(press('8.3', '1'));
    await queued();
    expect(await outcome('1.1')).toMatchObject({ text: 'Red.', version: 1 });
    time.advance(2_000);
    await take(press('8.4', '2'));
    await queued();
    await say('2.1', 'U1', 'Why that one?');
    await queued();
    expect(JSON.stringify(full.at(-1))).toContain('Blue.');
    expect(JSON.stringify(full.at(-1))).not.toContain('Green.');
  });

  test('refuses other people, and versions that are not stored', async () => {
    const { take, queued, outcome, whispers, time } = await askedForThree();
    time.advance(2_000);
    await take(press('8.2', '2', 'U2'));
    await take(press('8.3', '4'));
    await queued();
    expect(whispers).toEqual([
      `U2: ${text('en', 'answers.redo.not-yours')}`,
      `U1: ${text('en', 'answers.redo.gone')}`,
    ]);
    expect(await outcome('1.1')).toMatchObject({ text: 'Red.' });
  });

  test('keeps the previous answer if the request fails', async () => {
    const world = threadHarness([[words('First.'), endEvent('First.')], [new Error('no')]]);
    await world.say('1.1', 'U1', 'Which colour?');
    await world.queued();
    world.time.advance(2_000);
    await world.take(press('8.1'));
    await expect(world.queued()).rejects.toThrow('no');
    expect(await world.outcome('1.1')).toMatchObject({ text: 'First.' });
  });
});

/** The outcome of an answer of which these versions were requested, and the options of the request. */
async function requestFor(versions: number | undefined, alternatives?: readonly string[]) {
  const { run, requests } = completionHarness([[words('Red.'), endEvent('Red.', { alternatives })]], {
    versions,
  });
  const { outcome } = await outcomeOf(run());
  return { outcome, options: requests.map(({ options }) => options) };
}

describe('an answer in several versions', () => {
  test('says that `n` was left out if the server sent one only', async () => {
    const { outcome, options } = await requestFor(3);
    expect(options).toMatchObject([{ versions: 3 }]);
    expect(outcome).toMatchObject({ text: 'Red.', omitted: ['n'] });
    expect(outcome).not.toHaveProperty('versions');
  });

  test('has each text once', async () => {
    expect((await requestFor(3, ['Red.', 'Blue.'])).outcome).toMatchObject({ versions: ['Red.', 'Blue.'] });
    expect((await requestFor(3, ['Red.', 'Red.'])).outcome).not.toHaveProperty('versions');
  });

  test('is an ordinary answer if one version was requested', async () => {
    const { outcome } = await requestFor(undefined);
    expect(outcome).not.toHaveProperty('omitted');
  });
});

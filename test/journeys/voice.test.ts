import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Message } from '../simulators/slack/index.ts';
import { detectFormat } from '../../shared/media/formats/detect-format.ts';
import * as v from 'valibot';
import { readWav } from '../simulators/upstream/speech/wav.ts';
import { slackAudioClip, slackVideoClip } from './recordings.ts';
import {
  answersIn,
  botMessages,
  dataFolder,
  waitUntil,
  type JourneyHarness,
  startJourneyHarness,
  queuesAreEmpty,
  contentOf,
  lastCompletionRequest,
  userIdOf,
} from './harness.ts';

const folder = dataFolder();
let journey: JourneyHarness;

beforeAll(async () => {
  journey = await startJourneyHarness(folder.path, { slack: { channels: [STANDUP] } });
});
afterAll(async () => {
  await journey.system.close();
  folder.remove();
});

/** A channel with automatic transcription. */
const STANDUP = {
  id: 'C0STANDUP0',
  name: 'standup',
  kind: 'channel' as const,
  members: ['U0ADA00000', 'U0GRACE000', 'U0PARLEY00'],
};
const request = v.object({ audio_url: v.string(), sampling_rate: v.number() });

/** The card of a recording once it contains this text, and it is stored. */
async function cardWith(thread: string, words: string, channel?: string): Promise<Message> {
  const card = await journey.slack.core.until(() =>
    botMessages(journey.slack, thread, channel).find((one) => contentOf(one).includes(`> ${words}`)),
  );
  await queuesAreEmpty(journey.system);
  return card;
}

/** The audio of each speech request. */
function sounds(): { seconds: number; rate: number; channels: number; claimed: unknown }[] {
  const requests = journey.upstream.journal.filter(({ path }) =>
    path.endsWith('/transcription_or_translation'),
  );
  return requests.map(({ body }) => {
    const { audio_url: url, sampling_rate: claimed } = v.parse(request, body);
    const wav = readWav(Buffer.from(url.slice(url.indexOf(',') + 1), 'base64'));
    if (!wav) throw new Error('no WAV was sent');
    return { seconds: wav.samples.length / wav.rate, rate: wav.rate, channels: wav.channels, claimed };
  });
}

/** The last prompt. */

// First, because a front caches settings for up to 30 s.
describe('a voice message in a channel', () => {
  test('is transcribed automatically where an administrator enables it, with one note on how to opt out; not for people who opted out', async () => {
    const { slack } = journey;
    const channel = STANDUP.id;
    await slack.command('grace', '/parley voice auto', channel);
    await whispered('grace', 'admins', channel);
    await slack.command('ada', '/parley voice auto', channel);
    await whispered('ada', 'automatically', channel);
    await slack.command('grace', '/parley voice optout', channel);
    await whispered('grace', 'not sent anywhere', channel);

    const theirs = await slack.say('grace', '', { channel, files: [await slackAudioClip([5])] });
    const first = await slack.say('ada', '', {
      channel,
      files: [await slackAudioClip([2, 4]), await slackAudioClip([6, 8])],
    });
    await cardWith(first, 'two four', channel);
    await cardWith(first, 'six eight', channel);
    const hinted = botMessages(slack, first, channel).filter((one) =>
      contentOf(one).includes('voice optout'),
    );
    expect(hinted).toHaveLength(1);
    expect(botMessages(slack, theirs, channel)).toEqual([]);

    const filming = await slack.say('ada', '', { channel, files: [await slackVideoClip([3, 1])] });
    await cardWith(filming, 'three one', channel);
  });

  test('is ignored until somebody asks, and then transcribed once, also when two people ask at the same time', async () => {
    const { slack } = journey;
    const thread = await slack.say('ada', '', { files: [await slackAudioClip([7, 7, 1])] });
    await slack.delivery.idle();
    expect(botMessages(slack, thread)).toEqual([]);
    const countBefore = sounds().length;
    await Promise.all(['grace', 'ada'].map((name) => slack.shortcut(name, 'transcribe', thread)));
    const card = await cardWith(thread, 'seven seven one');
    expect(contentOf(card)).toMatch(/<@U0ADA00000>.*0:01/u);
    expect([botMessages(slack, thread).length, sounds().length - countBefore]).toEqual([1, 1]);
    const before = sounds().length;
    await slack.shortcut('grace', 'transcribe', thread);
    const link = await whispered('grace', 'is already transcribed');
    expect(contentOf(link)).toContain(`/archives/${slack.channel}/p${card.ts.replace('.', '')}`);
    expect(sounds().length).toBe(before);
  });

  test('is transcribed when a question in its thread refers to it', async () => {
    const { slack } = journey;
    const thread = await slack.say('ada', 'I have something to say.');
    await slack.say('ada', '', { thread, files: [await slackAudioClip([3, 9, 3])] });
    slack.core.allowHistoryReads();
    await slack.say('grace', '@parley What is said here? [[sim:tool=transcribe]]', { thread });
    await cardWith(thread, 'three nine three');
    const answer = await slack.core.until(() =>
      botMessages(slack, thread).find((one) => contentOf(one).includes('parley:regenerate')),
    );
    expect(JSON.stringify(answer.steps)).toMatch(/Transcribe.*the words appear below the message/u);
  });

  test('is transcribed after a reaction, translated for one person, spoken to everybody, and asked about', async () => {
    const { slack } = journey;
    await slack.command('grace', '/parley voice language fr');
    await whispered('grace', 'French');
    const thread = await slack.say('ada', '', { files: [await slackAudioClip([4, 2, 1])] });
    slack.core.allowHistoryReads();
    slack.core.react(userIdOf(journey.slack, 'grace'), slack.channel, thread, 'memo');
    const card = await cardWith(thread, 'four two one');

    await slack.press('grace', card.ts, 'Translate');
    const french = await whispered('grace', 'quatre deux un');
    // Its progress was shown, and nothing of it remains.
    const statuses = () =>
      slack.calls
        .filter(({ method, args }) => method.endsWith('.setStatus') && args['thread_ts'] === thread)
        .map(({ args }) => args['status']);
    expect(statuses()[0]).toBe('processing');
    await waitUntil(() => statuses().at(-1) === 'active');
    const alone = [...(slack.core.state.messages.get(slack.channel)?.values() ?? [])].filter(
      (one) => one.ephemeralTo === userIdOf(journey.slack, 'grace') && one.thread === thread,
    );
    expect(alone.map(({ ts }) => ts)).toEqual([french.ts]);
    await slack.press('grace', french.ts, 'Speak it');
    const file = await slack.core.until(() => uploaded(/^voice.*\.mp3$/u));
    expect(file.mimetype).toBe('audio/mpeg');
    expect(detectFormat(Buffer.from(file.content, 'base64'))).toBe('mp3');

    await slack.press('ada', card.ts, 'Ask about it');
    await slack.core.until(() => [...slack.core.state.views.values()].find(({ kind }) => kind === 'modal'));
    await slack.submit('ada', { question: 'What was said?' });
    await slack.core.until(() =>
      lastCompletionRequest(journey).includes('What was said?') ? true : undefined,
    );
    expect(lastCompletionRequest(journey)).toContain('> four two one');
    // A second one in the thread, which has an answer by now.
    await slack.delivery.idle();
    await slack.press('ada', card.ts, 'Ask about it');
    await slack.core.until(() => [...slack.core.state.views.values()].find(({ kind }) => kind === 'modal'));
    await slack.submit('ada', { question: 'And by whom?' });
    await slack.core.until(() =>
      lastCompletionRequest(journey).includes('And by whom?') ? true : undefined,
    );
  });

  test('that is deleted loses its transcript', async () => {
    const { slack } = journey;
    const thread = await slack.say('ada', '', { files: [await slackAudioClip([3, 3])] });
    await slack.shortcut('ada', 'transcribe', thread);
    const card = await cardWith(thread, 'three three');
    await slack.press('grace', card.ts, 'Translate');
    await slack.press('grace', (await whispered('grace', 'trois trois')).ts, 'Speak it');
    const message = await slack.core.until(() => botMessages(slack, thread).find(({ files }) => files));
    slack.core.remove(userIdOf(journey.slack, 'ada'), slack.channel, thread);
    const forAll = () => botMessages(slack, thread).filter(({ ephemeralTo }) => ephemeralTo === undefined);
    await slack.core.until(() => (forAll().length === 0 ? true : undefined));
    const deleted = message.files?.map((id) => slack.core.state.files.get(id)?.file.deleted);
    expect(deleted).toEqual([true]);
  });
});

describe('a voice message that is a question', () => {
  test('with a mention is transcribed below it, answered, and part of the thread; so is one in the thread', async () => {
    const { slack } = journey;
    const digits = [3, 1, 4, 1, 5];
    const before = sounds().length;
    const thread = await slack.say('ada', '@parley Say this back.', {
      files: [await slackAudioClip(digits)],
    });
    await cardWith(thread, 'three one four one five');
    const [, answer] = await answersIn(slack, thread, 2);
    expect(answer?.text).not.toBe('');
    expect(lastCompletionRequest(journey)).toContain('Say this back.\\n\\nthree one four one five');
    expect(sounds().slice(before)).toEqual([
      { seconds: expect.closeTo(0.15 + 0.35 * digits.length, 1), rate: 16_000, channels: 1, claimed: 16_000 },
    ]);

    await slack.say('ada', '', { thread, files: [await slackAudioClip([9, 2, 6])] });
    await cardWith(thread, 'nine two six');
    await answersIn(slack, thread, 4);
    expect(lastCompletionRequest(journey)).toMatch(/three one four one five.*nine two six/u);
  });

  test('in a DM is answered; a recording that cannot be transcribed is reported, and the question continues', async () => {
    const { slack } = journey;
    const { id: channel } = dmOf('grace');
    const thread = await slack.say('grace', '', { channel: 'dm', files: [await slackAudioClip([8, 8])] });
    await cardWith(thread, 'eight eight', channel);
    await answersIn(slack, thread, 2, channel);
    expect(lastCompletionRequest(journey)).toContain('eight eight');

    const broken = {
      ...(await slackAudioClip([1])),
      content: new TextEncoder().encode('This is not sound.'),
    };
    const second = await slack.say('grace', 'What is 6 * 7?', { channel: 'dm', files: [broken] });
    const [notice, answer] = await answersIn(slack, second, 2, channel);
    expect(contentOf(notice)).toContain('do not know this kind of recording');
    expect(answer?.text).toContain('42');
  });
});

/** The ephemeral messages for a person. */
function whispered(name: string, words: string, channel = journey.slack.channel): Promise<Message> {
  const { slack } = journey;
  const id = userIdOf(journey.slack, name);
  return slack.core.until(() =>
    [...(slack.core.state.messages.get(channel)?.values() ?? [])].findLast(
      (one) => one.ephemeralTo === id && contentOf(one).includes(words),
    ),
  );
}

/** A file that the bot uploaded to the workspace. */
function uploaded(name: RegExp) {
  const files = [...journey.slack.core.state.files.values()];
  const upload = files.find(({ file }) => name.test(file.name));
  return upload && { ...upload.file, content: upload.content };
}

function dmOf(name: string) {
  const { slack } = journey;
  const channels = [...slack.core.state.channels.values()];
  const channel = channels.find(
    ({ kind, members }) => kind === 'im' && members.includes(userIdOf(journey.slack, name)),
  );
  if (!channel) throw new Error(`${name} has no DM`);
  return channel;
}

import { performance } from 'node:perf_hooks';
import { coded, opusFile, opusPackets } from '../simulators/recording/encode.ts';
import { botMessages, dataFolder, type JourneyHarness, startJourneyHarness } from '../journeys/harness.ts';
import { speakDigits } from '../simulators/upstream/speech/tones.ts';
import { percentile, type Row } from './report-table.ts';

const RATE = 48_000;
const TIMES = 7;
/** Each tone and its gap take 0.35 s. */
const DIGITS = Array.from({ length: 28 }, (_, n) => n % 10);
const LIMIT_MS = 600;

const SPEECH = '/v1/transcription_or_translation';

/** ms of one voice message: until its file was requested, the models were, its text was shown; and in total. */
type Stages = Readonly<Record<'fetched' | 'asked' | 'shown' | 'all', number>>;

/** ms since 1970, as in the simulators' journals, but finer. */
const epoch = (): number => performance.timeOrigin + performance.now();

/** What phones and browsers record. */
export const VOICE_FORMATS = ['AAC (m4a)', 'MP3', 'Opus (ogg)', 'Opus (webm)'] as const;
type VoiceFormat = (typeof VOICE_FORMATS)[number];

/** From the event of a voice message of 10 s to its transcript, warm, with models that respond at once. */
export async function voice(): Promise<Row[]> {
  const warm = (await measureVoice(['AAC (m4a)'])).get('AAC (m4a)') ?? [];
  const median = (of: keyof Stages): number =>
    percentile(
      warm.map((one) => one[of]),
      0.5,
    );
  return [
    {
      what: 'voice message of 10 s, event to text, median',
      value: median('all'),
      unit: 'ms',
      limit: LIMIT_MS,
    },
    { what: 'the same, the slowest', value: Math.max(...warm.map(({ all }) => all)), unit: 'ms' },
    { what: 'of it: from the event until the file is asked for', value: median('fetched'), unit: 'ms' },
    { what: 'of it: from there until the models have its sound', value: median('asked'), unit: 'ms' },
    { what: 'of it: from there until the text is shown', value: median('shown'), unit: 'ms' },
  ];
}

/** The same voice message in each format, in turn. The first of each is cold, and left out. */
export async function measureVoice(
  formats: readonly VoiceFormat[],
): Promise<ReadonlyMap<VoiceFormat, readonly Stages[]>> {
  const samples = speakDigits(DIGITS, { rate: RATE });
  const clips = await Promise.all(
    formats.map(async (format) => ({
      format,
      took: new Array<Stages>(),
      ...(await clipOf(format, samples)),
    })),
  );
  const folder = dataFolder();
  const journey = await startJourneyHarness(folder.path, { upstream: { paceMs: 0 } });
  try {
    for (let n = 0; n <= TIMES; n += 1)
      for (const { took, ...clip } of clips) took.push(await measureClip(journey, clip));
  } finally {
    await journey.system.close();
    folder.remove();
  }
  return new Map(clips.map(({ format, took }) => [format, took.slice(1)]));
}

type Clip = { readonly name: string; readonly mimetype: string; readonly content: Uint8Array };

async function clipOf(format: VoiceFormat, samples: Float32Array): Promise<Clip> {
  const sound = { channels: [samples], rate: RATE };
  const opus = (container: 'ogg' | 'webm') => opusFile(opusPackets(sound), container);
  switch (format) {
    case 'AAC (m4a)':
      return { name: 'clip.m4a', mimetype: 'audio/mp4', content: await coded(sound, 'aac', 'fastMp4') };
    case 'MP3':
      return { name: 'clip.mp3', mimetype: 'audio/mpeg', content: await coded(sound, 'mp3', 'mp3') };
    case 'Opus (ogg)':
      return { name: 'clip.ogg', mimetype: 'audio/ogg', content: await opus('ogg') };
    case 'Opus (webm)':
      return { name: 'clip.webm', mimetype: 'audio/webm', content: await opus('webm') };
  }
}

async function measureClip({ slack, upstream }: JourneyHarness, clip: Clip): Promise<Stages> {
  const begin = epoch();
  const thread = await slack.say('ada', '@parley Go on.', { files: [clip] });
  await slack.core.until(() =>
    botMessages(slack, thread).find(({ blocks }) =>
      JSON.stringify(blocks)?.includes('six seven eight nine zero'),
    ),
  );
  const [fetched, requestedAt] = [
    slack.calls.findLast(({ method }) => method === 'files.download')?.at ?? NaN,
    upstream.journal.findLast(({ path }) => path === SPEECH)?.at ?? NaN,
  ];
  const stages = {
    fetched: fetched - begin,
    asked: requestedAt - fetched,
    shown: epoch() - requestedAt,
    all: epoch() - begin,
  };
  await slack.delivery.idle();
  return stages;
}

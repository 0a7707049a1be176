import { performance } from 'node:perf_hooks';
import { coded } from '../simulators/recording/encode.ts';
import { botMessages, dataFolder, startJourneyHarness } from '../journeys/harness.ts';
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

/** From the event of a voice message of 10 s to its transcript, warm, with models that respond at once. */
export async function voice(): Promise<Row[]> {
  const samples = speakDigits(DIGITS, { rate: RATE });
  const content = await coded({ channels: [samples], rate: RATE }, 'aac', 'fastMp4');
  const folder = dataFolder();
  const { system, slack, upstream } = await startJourneyHarness(folder.path, { upstream: { paceMs: 0 } });
  try {
    const took: Stages[] = [];
    for (let n = 0; n <= TIMES; n += 1) {
      const begin = epoch();
      const clip = { name: 'clip.m4a', content, mimetype: 'audio/mp4' };
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
      took.push({
        fetched: fetched - begin,
        asked: requestedAt - fetched,
        shown: epoch() - requestedAt,
        all: epoch() - begin,
      });
      await slack.delivery.idle();
    }
    // The first run is cold.
    const warm = took.slice(1);
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
  } finally {
    await system.close();
    folder.remove();
  }
}

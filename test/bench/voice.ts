import { performance } from 'node:perf_hooks';
import { coded } from '../media/encode.ts';
import { botMessages, dataFolder, startJourney } from '../journeys/system.ts';
import { speakDigits } from '../simulators/upstream/speech/tones.ts';
import { percentile, type Row } from './row.ts';

const RATE = 48_000;
const TIMES = 7;
/** Each tone and its gap take 0.35 s. */
const DIGITS = Array.from({ length: 28 }, (_, n) => n % 10);
const LIMIT_MS = 600;

/** From the event of a voice message of 10 s to its words under it, warm, with models that answer at once. */
export async function voice(): Promise<Row[]> {
  const samples = speakDigits(DIGITS, { rate: RATE });
  const content = await coded({ channels: [samples], rate: RATE }, 'aac', 'fastMp4');
  const folder = dataFolder();
  const { system, slack } = await startJourney(folder.path, { upstream: { paceMs: 0 } });
  try {
    const took: number[] = [];
    for (let n = 0; n <= TIMES; n += 1) {
      const begin = performance.now();
      const clip = { name: 'clip.m4a', content, mimetype: 'audio/mp4' };
      const thread = await slack.say('ada', '@parley Go on.', { files: [clip] });
      await slack.core.until(() =>
        botMessages(slack, thread).find(({ blocks }) =>
          JSON.stringify(blocks)?.includes('six seven eight nine zero'),
        ),
      );
      took.push(performance.now() - begin);
      await slack.delivery.idle();
    }
    // The first finds everything cold.
    const warm = took.slice(1);
    return [
      {
        what: 'voice message of 10 s, event to text, median',
        value: percentile(warm, 0.5),
        unit: 'ms',
        limit: LIMIT_MS,
      },
      { what: 'the same, the slowest', value: Math.max(...warm), unit: 'ms' },
    ];
  } finally {
    await system.close();
    folder.remove();
  }
}

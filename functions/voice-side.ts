import { join } from 'node:path';
import { DEFAULTS, type VoiceDeps } from '../shared/flows/index.ts';
import { media } from '../shared/media/index.ts';
import type { AwsCall } from '../shared/runtime/aws-request.ts';
import type { TranscriberConfig } from '../shared/runtime/config.ts';
import { sqsQueue } from '../shared/runtime/queue.ts';
import { secret, upstreamKey } from '../shared/runtime/secrets.ts';
import { systemTime } from '../shared/runtime/time.ts';
import { Recordings } from '../shared/store/index.ts';
import { createUpstream } from '../shared/upstream/index.ts';
import { type Keys, keysOf } from './keys.ts';
import { limitsOf } from './limits.ts';
import { sidesOf } from './sides.ts';
import { speechFile } from './speech-file.ts';
import { chatOf, dynamoOf, logOf } from './wiring.ts';

const { now } = systemTime;

/** Everything that writes recordings out. */
export function transcriberDeps(config: TranscriberConfig, aws: AwsCall): VoiceDeps {
  const { info: log, warn } = logOf(config);
  const dynamo = dynamoOf(config);
  const keys = keysOf(secret(config.upstreamSecretId, upstreamKey, { aws, now }), now);
  const limits = limitsOf(config, keys, warn);
  // Bundled beside the function; see infra/stack.ts.
  const thread = join(__dirname, 'media-thread.js');
  const sounds = media({ thread, time: systemTime, ffmpeg: config.ffmpegPath });
  return {
    ...sidesOf(config, { aws, dynamo, log }),
    recordings: new Recordings({ dynamo, table: config.conversationsTable, days: config.historyDays, now }),
    media: sounds,
    ears: earsOf(config, keys),
    voice: speechFile(sounds),
    slots: limits.media.speech,
    chat: chatOf(config, keys, limits, warn),
    chatSlots: limits.slots,
    queue: sqsQueue(config.taskQueueUrl, aws),
    settings: { ...DEFAULTS, standIns: config.standInModels, zone: config.timeZone },
    time: systemTime,
    log,
  };
}

/** The upstream's speech, for one piece at a time; its times are in seconds. */
function earsOf(config: TranscriberConfig, keys: Keys): VoiceDeps['ears'] {
  const { speech } = createUpstream({
    baseUrl: config.upstreamBaseUrl,
    apiKey: (ask) => keys.value(undefined, ask?.refresh ?? false),
    time: systemTime,
    random: Math.random,
  });
  return {
    async hear(audio, { to, speak, slot, ...rest }) {
      const options = {
        ...rest,
        apiKey: (ask?: { readonly refresh: boolean }) => keys.value(slot?.()?.key, ask?.refresh ?? false),
      };
      const said =
        to === undefined
          ? await speech.transcribe({ audio }, options)
          : await speech.translate({ audio, to, speak }, options);
      return {
        ...said,
        words: said.words.map(({ start, end, text }) => ({ fromMs: ms(start), toMs: ms(end), text })),
      };
    },
  };
}

const ms = (seconds: number): number => Math.round(seconds * 1_000);

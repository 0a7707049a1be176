import { join } from 'node:path';
import { DEFAULTS, noBreakers } from '../../../shared/ports/index.ts';
import {
  type Log,
  type TranscriberConfig,
  RECORDINGS,
  taskTrace,
  traceId,
  systemTime,
} from '../../../shared/runtime/index.ts';
import { parseTranscriptionTask } from '../../../shared/domain/index.ts';
import type { AttemptDeps } from '../../../shared/task-queue/index.ts';
import { runTranscriptionTask, type VoiceContext } from '../../../shared/voice/index.ts';
import { OTHER_VERSION } from '../../../shared/worker/index.ts';
import { createMedia } from '../../../shared/media/index.ts';
import { type AwsCall, sqsQueue } from '../../../shared/aws/index.ts';
import { TurnSignals, Recordings, SettingsStore } from '../../../shared/storage/index.ts';
import type { Upstream } from '../../../shared/upstream/index.ts';
import { byAnotherKey, type Keys } from '../models/api-keys.ts';
import { segmentsOf } from '../process/xray-segments.ts';
import { taskQueueOf } from '../task-queues.ts';
import { limitsOf } from '../rate-limits.ts';
import { allKeys } from '../models/workspace-api-keys.ts';
import { erasedUntil, createPlatformAdapters } from '../platforms.ts';
import { speechFile } from './speech-file.ts';
import { priceBy, budgetsOf } from '../billing.ts';
import { useAwsSdk } from '../process/sdk-dynamo.ts';
import { chatOf, modelsOf, upstreamOf } from '../models/chat-model.ts';
import { awsOf, logOf, metricsOf } from '../worker.ts';

const { now } = systemTime;

/** What is needed to transcribe the recordings of the queue. */
export function transcriberWorker(config: TranscriberConfig): AttemptDeps {
  const aws = awsOf(config);
  const context = transcriberContext(config, aws);
  const { info, warn } = logOf(config);
  const segments = segmentsOf('transcriber', config, aws, info);
  return {
    ...taskQueueOf(config.voiceQueueUrl, RECORDINGS, config, aws),
    // A transcript is the same whichever attempt stores it.
    refuseLateWrites: () => Promise.resolve(),
    serve: async (body, delivery) => {
      const task = parseTranscriptionTask(body);
      if (task) return segments.record(delivery.trace, () => runTranscriptionTask(task, context, delivery));
      const { queueMessage: messageId, trace } = delivery;
      warn('task.unreadable', { messageId, bytes: body.length, trace: traceId(trace) });
      return OTHER_VERSION;
    },
  };
}

/** The context of the transcriber. */
function transcriberContext(config: TranscriberConfig, aws: AwsCall): VoiceContext {
  const { info: log, warn } = logOf(config);
  const dynamo = useAwsSdk(config);
  const metrics = metricsOf(config);
  const platforms = createPlatformAdapters(config, { aws, dynamo, log, metrics });
  const store = { dynamo, table: config.conversationsTable, days: config.historyDays, now };
  // Read for each task: a person who has just opted out is not transcribed.
  const choices: VoiceContext['settingsStore'] = {
    layers: (place) => new SettingsStore(store).layers(place),
  };
  const { keys } = allKeys(config, { ...platforms, settingsStore: choices, aws, dynamo, log: warn });
  const limits = limitsOf(config, keys, warn);
  const upstream = upstreamOf(config, keys, limits);
  // Bundled beside the function; see infra/cdk/stack.ts.
  const thread = join(__dirname, 'media-thread.js');
  const sounds = createMedia({ entryFile: thread, time: systemTime, ffmpeg: config.ffmpegPath });
  return {
    ...platforms,
    recordings: new Recordings(store),
    erased: erasedUntil(store),
    signals: new TurnSignals(store),
    settingsStore: choices,
    budgets: budgetsOf(config, dynamo, priceBy(modelsOf(upstream, limits, config))),
    media: sounds,
    transcriptionClient: createTranscriptionClient(upstream, keys, warn),
    createVoiceFile: speechFile(sounds),
    speechPermits: limits.speechPermits,
    chat: chatOf(config, keys, limits, warn, upstream),
    permits: limits.permits,
    breakers: noBreakers,
    queue: sqsQueue(config.taskQueueUrl, aws, taskTrace),
    recordingsQueue: sqsQueue(config.voiceQueueUrl, aws, taskTrace),
    settings: {
      ...DEFAULTS,
      systemPrompt: config.systemPrompt,
      standIns: config.standInModels,
      zone: config.timeZone,
      slackCommand: config.slackCommand,
    },
    time: systemTime,
    metrics,
    log,
  };
}

/** The upstream's transcription of one chunk. Times are in seconds. */
export function createTranscriptionClient(
  { speech }: Upstream,
  keys: Keys,
  log: Log,
): VoiceContext['transcriptionClient'] {
  return {
    async transcribe(audio, { to, speak, temperature, maxTokens, permit, ...rest }) {
      const options = {
        ...rest,
        apiKey: (ask?: { readonly refresh: boolean }) => keys.value(permit?.()?.key, ask?.refresh ?? false),
      };
      const call = async function* () {
        yield to === undefined
          ? await speech.transcribe({ audio, temperature, maxTokens }, options)
          : await speech.translate({ audio, to, speak, temperature, maxTokens }, options);
      };
      for await (const event of byAnotherKey(call, { keys, permit: () => permit?.()?.key, log })) {
        const words = event.words.map(({ start, end, text }) => ({ fromMs: ms(start), toMs: ms(end), text }));
        return { ...event, words };
      }
      throw new Error('nothing was heard');
    },
  };
}

const ms = (seconds: number): number => Math.round(seconds * 1_000);

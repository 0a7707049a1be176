import { join } from 'node:path';
import { DEFAULTS, noBreakers } from '../../../shared/ports/index.ts';
import {
  type Log,
  type TranscriberConfig,
  RECORDINGS,
  getTaskTrace,
  parseTraceId,
  systemTime,
} from '../../../shared/runtime/index.ts';
import { parseTranscriptionTask } from '../../../shared/domain/index.ts';
import type { AttemptDeps } from '../../../shared/task-queue/index.ts';
import { runTranscriptionTask, type VoiceContext } from '../../../shared/voice/index.ts';
import { OTHER_VERSION } from '../../../shared/worker/index.ts';
import { createMedia } from '../../../shared/media/index.ts';
import { type AwsCall, createSqsQueue } from '../../../shared/aws/index.ts';
import { TurnSignals, Recordings, SettingsStore } from '../../../shared/storage/index.ts';
import type { Upstream } from '../../../shared/upstream/index.ts';
import { withOtherKeys, type Keys } from '../models/api-keys.ts';
import { createSegments } from '../process/xray-segments.ts';
import { createTaskQueue } from '../task-queues.ts';
import { createLimits } from '../rate-limits.ts';
import { createAllKeys } from '../models/workspace-api-keys.ts';
import { createErasureLookup, createPlatformAdapters } from '../platforms.ts';
import { createSpeechFileWriter } from './speech-file.ts';
import { createPricing, createBudgets } from '../billing.ts';
import { useAwsSdk } from '../process/sdk-dynamo.ts';
import { createChatModel, createModelList, createUpstreamClient } from '../models/chat-model.ts';
import { createAwsClient, createLog, createMetrics } from '../worker.ts';

const { now } = systemTime;

/** What is needed to transcribe the recordings of the queue. */
export function createTranscriberWorker(config: TranscriberConfig): AttemptDeps {
  const aws = createAwsClient(config);
  const context = transcriberContext(config, aws);
  const { info, warn } = createLog(config);
  const segments = createSegments('transcriber', config, aws, info);
  return {
    ...createTaskQueue(config.voiceQueueUrl, RECORDINGS, config, aws),
    // A transcript is the same whichever attempt stores it.
    refuseLateWrites: () => Promise.resolve(),
    serve: async (body, delivery) => {
      const task = parseTranscriptionTask(body);
      if (task) return segments.record(delivery.trace, () => runTranscriptionTask(task, context, delivery));
      const { queueMessage: messageId, trace } = delivery;
      warn('task.unreadable', { messageId, bytes: body.length, trace: parseTraceId(trace) });
      return OTHER_VERSION;
    },
  };
}

/** The context of the transcriber. */
function transcriberContext(config: TranscriberConfig, aws: AwsCall): VoiceContext {
  const { info: log, warn } = createLog(config);
  const dynamo = useAwsSdk(config);
  const metrics = createMetrics(config);
  const platforms = createPlatformAdapters(config, { aws, dynamo, log, metrics });
  const store = { dynamo, table: config.conversationsTable, days: config.historyDays, now };
  // Read for each task: a person who has just opted out is not transcribed.
  const settingsStore: VoiceContext['settingsStore'] = {
    layers: (place) => new SettingsStore(store).layers(place),
  };
  const { keys } = createAllKeys(config, {
    ...platforms,
    settingsStore,
    aws,
    dynamo,
    log: warn,
  });
  const limits = createLimits(config, keys, warn);
  const upstream = createUpstreamClient(config, keys, limits);
  // Bundled beside the function; see infra/cdk/stack.ts.
  const thread = join(__dirname, 'media-thread.js');
  const sounds = createMedia({ entryFile: thread, time: systemTime, ffmpeg: config.ffmpegPath });
  return {
    ...platforms,
    recordings: new Recordings(store),
    erased: createErasureLookup(store),
    signals: new TurnSignals(store),
    settingsStore,
    budgets: createBudgets(config, dynamo, createPricing(createModelList(upstream, limits, config))),
    media: sounds,
    transcriptionClient: createTranscriptionClient(upstream, keys, warn),
    createVoiceFile: createSpeechFileWriter(sounds),
    speechPermits: limits.speechPermits,
    chat: createChatModel(config, keys, limits, warn, upstream),
    permits: limits.permits,
    breakers: noBreakers,
    queue: createSqsQueue(config.taskQueueUrl, aws, getTaskTrace),
    recordingsQueue: createSqsQueue(config.voiceQueueUrl, aws, getTaskTrace),
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
      const keyName = () => permit?.()?.key;
      for await (const event of withOtherKeys(call, { keys, keyName, service: 'speech', log })) {
        const words = event.words.map(({ start, end, text }) => ({ fromMs: ms(start), toMs: ms(end), text }));
        return { ...event, words };
      }
      throw new Error('nothing was heard');
    },
  };
}

const ms = (seconds: number): number => Math.round(seconds * 1_000);

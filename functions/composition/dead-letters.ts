import { unknownPrice, unlimitedBudget } from '../../shared/billing/index.ts';
import type { DeadLetterContext } from '../../shared/worker/index.ts';
import { DEFAULTS, noWaitQueue } from '../../shared/ports/index.ts';
import { type readDeadLettersConfig, getTaskTrace, systemTime } from '../../shared/runtime/index.ts';
import { createSqsQueue } from '../../shared/aws/index.ts';
import {
  AnswerFiles,
  ApiRequests,
  ErasureMoments,
  LiveAnswers,
  Recordings,
} from '../../shared/storage/index.ts';
import { createPlatformAdapters } from './platforms.ts';
import { useAwsSdk } from './process/sdk-dynamo.ts';
import { createAwsClient, createSettingsStore, createLog, createTurnSignals, createTurns } from './worker.ts';

/** Builds the context of dead letters: without requests to the models, since a failure notice costs nothing. */
export function createDeadLetterContext(config: ReturnType<typeof readDeadLettersConfig>): DeadLetterContext {
  const aws = createAwsClient(config);
  const dynamo = useAwsSdk(config);
  const { error, info } = createLog(config);
  const { conversationsTable: table, historyDays: days } = config;
  const store = { dynamo, table, days, now: systemTime.now };
  return {
    turns: createTurns(config),
    signals: createTurnSignals(config),
    ...createPlatformAdapters(config, { aws, dynamo, log: info }),
    recordings: new Recordings(store),
    integrations: { requests: new ApiRequests(store), answers: new LiveAnswers(store) },
    answerFiles: new AnswerFiles(store),
    erasureMoments: new ErasureMoments(store),
    queue: createSqsQueue(config.taskQueueUrl, aws, getTaskTrace),
    price: unknownPrice,
    budgets: unlimitedBudget,
    permits: noWaitQueue,
    time: systemTime,
    log: error,
    settings: { ...DEFAULTS, otherModels: config.otherModels },
    settingsStore: createSettingsStore(config),
  };
}

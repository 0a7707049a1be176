import { unknownPrice, unlimitedBudget } from '../../shared/billing/index.ts';
import type { DeadLetterContext } from '../../shared/worker/index.ts';
import { DEFAULTS, noWaitQueue } from '../../shared/ports/index.ts';
import { type deadLettersConfig, taskTrace, systemTime } from '../../shared/runtime/index.ts';
import { sqsQueue } from '../../shared/aws/index.ts';
import {
  AnswerFiles,
  ApiRequests,
  ErasureMoments,
  LiveAnswers,
  Recordings,
} from '../../shared/storage/index.ts';
import { createPlatformAdapters } from './platforms.ts';
import { useAwsSdk } from './process/sdk-dynamo.ts';
import { awsOf, settingsStoreOf, logOf, signalsOf, turnsOf } from './worker.ts';

/** Builds the context of dead letters: without requests to the models, since a failure notice costs nothing. */
export function deadLetterContext(config: ReturnType<typeof deadLettersConfig>): DeadLetterContext {
  const aws = awsOf(config);
  const dynamo = useAwsSdk(config);
  const { error, info } = logOf(config);
  const { conversationsTable: table, historyDays: days } = config;
  const store = { dynamo, table, days, now: systemTime.now };
  return {
    turns: turnsOf(config),
    signals: signalsOf(config),
    ...createPlatformAdapters(config, { aws, dynamo, log: info }),
    recordings: new Recordings(store),
    integrations: { requests: new ApiRequests(store), answers: new LiveAnswers(store) },
    answerFiles: new AnswerFiles(store),
    erasureMoments: new ErasureMoments(store),
    queue: sqsQueue(config.taskQueueUrl, aws, taskTrace),
    price: unknownPrice,
    budgets: unlimitedBudget,
    permits: noWaitQueue,
    time: systemTime,
    log: error,
    settings: { ...DEFAULTS, otherModels: config.otherModels },
    settingsStore: settingsStoreOf(config),
  };
}

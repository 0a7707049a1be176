import { noPhases } from '../../shared/aws/xray-segments.ts';

import { unlimitedBudget } from '../../shared/billing/unlimited-budget.ts';
import { noPdfReader } from '../../shared/documents/index.ts';
import { ByteBudget } from '../../shared/runtime/byte-budget.ts';
import { AnswerFiles, Collections, Recordings, type TurnsConfig } from '../../shared/storage/index.ts';
import { noBreakers, videosDisabled } from '../../shared/ports/index.ts';
import type { WorkerContext } from '../../shared/worker/index.ts';
import { UNLIMITED_PERMITS } from './permits.ts';
import { NO_INTEGRATIONS } from './integrations.ts';
import { NO_RECORDINGS } from './recordings.ts';
import { FakeQueue } from './messenger.ts';
import { unknownPrice } from '../../shared/billing/reservation.ts';

/** Of a deployment that does not have what a test does not name: no videos, budgets, PDFs, metrics or traces, and people without roles. */
export const bareContext = (
  store: TurnsConfig,
): Pick<
  WorkerContext,
  | 'videos'
  | 'breakers'
  | 'videoPermits'
  | 'transcription'
  | 'pdf'
  | 'price'
  | 'budgets'
  | 'ownKeys'
  | 'takeBotQuestionPermit'
  | 'userProfile'
  | 'memberRoles'
  | 'isPublicChannel'
  | 'channelAccess'
  | 'directory'
  | 'erasure'
  | 'shortening'
  | 'exporter'
  | 'exportLimit'
  | 'scanLease'
  | 'installs'
  | 'memory'
  | 'movesLarge'
  | 'notePhases'
  | 'toolSources'
  | 'collections'
  | 'toolServers'
  | 'integrations'
  | 'toolLog'
  | 'answerFiles'
  | 'metrics'
> => ({
  ...BARE,
  transcription: { queue: new FakeQueue(), recordings: new Recordings(store) },
  collections: collectionsIn(store),
  answerFiles: new AnswerFiles(store),
});

const collectionsIn = ({ dynamo, table, now }: Pick<TurnsConfig, 'dynamo' | 'table' | 'now'>): Collections =>
  new Collections({
    dynamo,
    table,
    now,
    sleep: () => Promise.resolve(),
    enqueueSecondRemoval: () => Promise.resolve(),
  });

/** The same without anything stored. */
export const BARE: ReturnType<typeof bareContext> = {
  transcription: { queue: { send: () => Promise.resolve() }, recordings: NO_RECORDINGS },
  videos: videosDisabled({
    jobs: {
      find: () => Promise.resolve(undefined),
      listByPerson: () => Promise.resolve([]),
      listByThread: () => Promise.resolve([]),
      save: (job) => Promise.resolve(job),
      remove: () => Promise.resolve(),
    },
    media: { remove: () => Promise.resolve() },
    days: 30,
  }),
  breakers: noBreakers,
  videoPermits: UNLIMITED_PERMITS,
  pdf: noPdfReader,
  price: unknownPrice,
  budgets: unlimitedBudget,
  ownKeys: {
    find: () => Promise.resolve(undefined),
    save: () => Promise.resolve(),
    remove: () => Promise.resolve(),
  },
  takeBotQuestionPermit: () => Promise.resolve(true),
  userProfile: () => Promise.resolve({}),
  memberRoles: () => Promise.resolve({ admin: false, roles: [] }),
  isPublicChannel: () => Promise.resolve(false),
  channelAccess: () => Promise.resolve('unknown'),
  directory: { find: () => Promise.resolve({ kind: 'unavailable' }) },
  erasure: {
    page: () => Promise.resolve({ erased: 0, pauseMs: 0 }),
    threadPage: () => Promise.resolve({ erased: 0, pauseMs: 0 }),
    channelSettings: () => Promise.resolve(),
    scans: () => Promise.resolve(false),
  },
  shortening: { page: () => Promise.resolve({ jobs: [], pauseMs: 0 }) },
  exporter: {
    page: () => Promise.resolve({ entries: [], pauseMs: 0 }),
    threadPage: () => Promise.resolve({ entries: [], pauseMs: 0 }),
    scans: () => Promise.resolve(false),
  },
  exportLimit: { take: () => Promise.resolve(undefined) },
  scanLease: { take: () => Promise.resolve(true), release: () => Promise.resolve() },
  installs: { remove: () => Promise.resolve(false) },
  memory: new ByteBudget(Infinity),
  movesLarge: false,
  notePhases: noPhases,
  // The one that every deployment has.
  toolSources: [
    {
      names: ['knowledge'],
      load: () => Promise.resolve([]),
    },
  ],
  collections: {
    hasDocuments: () => Promise.resolve(false),
    list: () => Promise.resolve({ ready: [], unfinished: [] }),
    save: () => Promise.resolve(),
    remove: () => Promise.resolve(),
    removeMessage: () => Promise.resolve(),
    removeThread: () => Promise.resolve(),
    removeAll: () => Promise.resolve(),
    clear: () => Promise.resolve(),
    removeParts: () => Promise.resolve(),
    findTerms: () => Promise.resolve([]),
    findPassage: () => Promise.resolve(undefined),
  },
  integrations: NO_INTEGRATIONS,
  toolServers: {
    servers: {
      list: () => Promise.resolve([]),
      find: () => Promise.resolve(undefined),
      add: () => Promise.resolve(true),
      change: () => Promise.resolve(),
      remove: () => Promise.resolve(),
    },
    credentials: {
      find: () => Promise.resolve(undefined),
      findVersion: () => Promise.resolve(undefined),
      save: () => Promise.resolve(),
      claimRenewal: () => Promise.resolve(undefined),
      releaseRenewal: () => Promise.resolve(),
      renew: () => Promise.resolve(false),
      remove: () => Promise.resolve(),
      removeAll: () => Promise.resolve(),
      begin: () => Promise.resolve(),
      take: () => Promise.resolve(undefined),
      hold: () => Promise.resolve(),
      release: () => Promise.resolve(undefined),
    },
    calls: {
      create: (id, call) => Promise.resolve({ ...call, id, state: 'proposed' }),
      find: () => Promise.resolve(undefined),
      noteCard: () => Promise.resolve(),
      removeOfQuestion: () => Promise.resolve([]),
      claim: () => Promise.resolve(false),
      finish: () => Promise.resolve(false),
      release: () => Promise.resolve(false),
      cancel: () => Promise.resolve(false),
    },
    request: () => Promise.resolve({ kind: 'failed', reason: 'unavailable', mayHaveRun: false }),
    redirectUrl: 'https://bot.example.com/tools/oauth',
  },
  answerFiles: {
    claim: (_, { name }) => Promise.resolve({ id: name }),
    addMessage: () => Promise.resolve(true),
    release: () => Promise.resolve(),
    list: () => Promise.resolve([]),
    removeAll: () => Promise.resolve(),
  },
  toolLog: { add: () => Promise.resolve(), list: () => Promise.resolve([]) },
  metrics: () => undefined,
};

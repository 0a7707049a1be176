import { Duration, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { ENV, OPEN_INDEX, PERSON_INDEX, RECORDINGS, stackName, TASKS } from '../../shared/runtime/index.ts';
import { getModelUses, getTaskUses, getPlatformUses, getTracingUses } from './permissions.ts';
import { addUrlOutputs } from './api/output-urls.ts';
import { createAlarms } from './monitoring/alarms.ts';
import { Api } from './api/api.ts';
import { createCanary } from './monitoring/canary.ts';
import type { Canary, ContextOptions } from './context-options.ts';
import { createFirewall } from './api/firewall.ts';
import { createIntegrationApi, type IntegrationApi } from './api/integration-api.ts';
import { createFronts } from './api/fronts.ts';
import { LambdaFunction, type Use } from './lambda-function.ts';
import { Media } from './media.ts';
import { DEAD_LETTERS, Messaging } from './messaging.ts';
import { requireAccountsForBudget } from './parameters/budget-rule.ts';
import { Parameters } from './parameters/parameters.ts';
import { scheduleEveryMinute } from './schedule.ts';
import { EncryptionKey } from './kms-key.ts';
import { RelayTask } from './containers/relay.ts';
import { Secrets } from './secrets.ts';
import { Storage } from './storage.ts';
import { ToolClient } from './tools/tool-client.ts';
import { WorkerService } from './containers/worker-service.ts';

/** The whole system: each function with its permissions, in the order in which a message passes them. */
export class ParleyStack extends Stack {
  readonly parameters = new Parameters(this);
  readonly secrets = new Secrets(this);
  readonly encryptionKey: EncryptionKey;
  readonly storage: Storage;
  readonly messaging = new Messaging(this);
  readonly media: Media;
  private readonly api: Api;
  /** The public base URL of the API. */
  readonly publicUrl: string;
  readonly common: readonly Use[];
  readonly segments: readonly Use[];
  readonly toolClient: ToolClient;
  /** The API for integrations, if there is one. */
  readonly integrationApi: IntegrationApi | undefined;

  constructor(scope: Construct, id: string, options: ContextOptions) {
    const { stage, alarmTopic } = options;
    super(scope, id, {
      stackName: stackName(stage),
      description: 'Parley: a bot for Slack and Discord',
      terminationProtection: stage === 'prod',
      // Cost allocation tags; they appear on the bill after activation in the account.
      tags: { project: 'parley', stage },
    });
    this.encryptionKey = new EncryptionKey(this, stage);
    this.storage = new Storage(this, stage);
    this.media = new Media(this, stage, this.parameters);
    this.common = [{ env: { [ENV.stage]: stage } }, this.parameters.use('LogLevel')];
    this.segments = getTracingUses(options.tracing);
    this.api = new Api(this, { rate: options.apiRate, burst: options.apiBurst });
    this.publicUrl = options.waf ? createFirewall(this, this.api, options.apiRate) : this.api.api.apiEndpoint;
    const discordInteractions = createFronts(this, this.api, options.waf);
    this.toolClient = new ToolClient(this, stage);
    this.integrationApi = options.api === undefined ? undefined : createIntegrationApi(this, options.api);
    const uses = [...getTaskUses(this), ...this.messaging.useConsume()];
    const [worker, largeWorker] = [this.worker(uses), this.largeWorker()];
    const [transcriber, deadLetters] = [this.transcriber(), this.deadLetters()];
    this.messaging.connect({ worker, largeWorker, transcriber, deadLetters }, options);
    const sweeper = this.sweeper();
    scheduleEveryMinute(this, 'Sweep', sweeper);
    const { tasks } = this.messaging;
    const service = { uses, logGroup: worker.lambda.logGroup, tasks, maxTasks: options.workerConcurrency };
    const isContainer = options.worker === 'fargate';
    const workerService = isContainer ? new WorkerService(this, 'TaskService', service) : undefined;
    const relay = options.relay ? this.relay() : undefined;
    const canary = options.canary && this.canary(options.canary);
    const { api, integrationApi, messaging, storage } = this;
    const functions = { discordInteractions, worker, largeWorker, transcriber, deadLetters, sweeper, canary };
    createAlarms(
      this,
      { api, integrationApi, messaging, storage, ...functions, workerService, relay },
      alarmTopic,
    );
    requireAccountsForBudget(this, this.parameters);
    addUrlOutputs(this, this.publicUrl);
  }

  /** A permanent container: events on Discord other than interactions arrive only by its gateway. */
  private relay(): RelayTask {
    return new RelayTask(this, 'DiscordGateway', this.parameters, [
      ...this.common,
      this.parameters.use('DiscordApiUrl', 'DiscordGatewayUrl', 'DiscordMessages', 'HistoryDays'),
      this.secrets.useDiscordBot(),
      this.storage.useConversations('GetItem', 'PutItem', 'UpdateItem', 'Query'),
      this.storage.useTokens('GetItem', 'UpdateItem'),
      this.messaging.useSend(),
      this.messaging.useRedeliver(),
      this.messaging.useSendVoice(),
    ]);
  }

  /** Asks a question as a person would. It has access to no table and no queue. */
  private canary(where: Canary): LambdaFunction {
    const slack = [this.parameters.use('SlackApiUrl'), this.secrets.useSlackBot()];
    const front = [{ env: { [ENV.publicUrl]: this.publicUrl } }, this.secrets.useSlackSigning()];
    return createCanary(this, where, [...this.common, ...slack, ...front]);
  }

  private worker(uses: readonly Use[]): LambdaFunction {
    return new LambdaFunction(this, 'Worker', {
      entry: 'worker',
      description: 'Receives tasks, asks the model, answers in the thread',
      timeout: Duration.seconds(TASKS.workerSeconds),
      sendsToItself: true,
      threads: ['shared/task-queue/watchdog-thread.ts'],
      // The cost of waiting for the models is proportional to this: see `TASKS`.
      memory: TASKS.workerMemoryMb,
      awaitsReady: true,
      v8Flags: TASKS.workerV8Flags,
      uses: [...uses, { env: TASKS.workerVariables }],
    });
  }

  private largeWorker(): LambdaFunction {
    return new LambdaFunction(this, 'LargeWorker', {
      entry: 'large-worker',
      description: 'Runs one task at a time that needs much memory or may crash',
      timeout: Duration.seconds(TASKS.workerSeconds),
      sendsToItself: true,
      threads: ['shared/documents/pdf-thread.ts', 'shared/task-queue/watchdog-thread.ts'],
      // Room for the memory limit of malicious PDFs in shared/documents/pdf-reader.ts.
      memory: TASKS.largeWorkerMemoryMb,
      uses: [...getTaskUses(this), ...this.messaging.useConsumeByReference()],
    });
  }

  private transcriber(): LambdaFunction {
    return new LambdaFunction(this, 'Transcriber', {
      entry: 'transcriber',
      description: 'Transcribes a recording in chunks, and posts the transcript below its message',
      timeout: Duration.seconds(RECORDINGS.workerSeconds),
      sendsToItself: true,
      threads: ['shared/media/worker-thread/media-thread.ts'],
      // One full vCPU (1,769 MB), and room for a video of 100 MB besides the decoder.
      memory: 1_769,
      uses: [
        ...this.common,
        ...getPlatformUses(this),
        ...getModelUses(this),
        this.parameters.use('FfmpegPath'),
        this.storage.useConversations('GetItem', 'PutItem', 'UpdateItem', 'Query', 'DeleteItem'),
        ...this.messaging.useConsumeVoice(),
        // A voice question is enqueued in its thread's order.
        this.messaging.useSend(),
        // A long recording that made progress is enqueued again.
        this.messaging.useSendVoice(),
      ],
    });
  }

  private deadLetters(): LambdaFunction {
    return new LambdaFunction(this, 'DeadLetters', {
      entry: 'dead-letters',
      description:
        'Handles tasks that failed for good: queues a failure notice for a question, a retry for a change',
      timeout: DEAD_LETTERS.timeout,
      sendsToItself: true,
      uses: [
        ...this.common,
        ...getPlatformUses(this),
        this.parameters.use('OtherModels'),
        // The erasure of a recording that failed is completed here, and the question of an integration that was posted becomes a turn.
        this.storage.useConversations('GetItem', 'PutItem', 'UpdateItem', 'Query', 'DeleteItem'),
        this.messaging.useSend(),
      ],
    });
  }

  private sweeper(): LambdaFunction {
    return new LambdaFunction(this, 'Sweeper', {
      entry: 'sweeper',
      description: 'Queues stuck tasks again, and fills the person index once',
      timeout: Duration.seconds(30),
      uses: [
        ...this.common,
        this.parameters.use('HistoryDays'),
        this.storage.useConversations('GetItem', 'UpdateItem', 'DeleteItem', 'Scan'),
        this.storage.useIndexes(OPEN_INDEX, PERSON_INDEX),
        this.messaging.useSend(),
        this.messaging.useSendVoice(),
      ],
    });
  }
}

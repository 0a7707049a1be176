import { Duration, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import {
  ENV,
  OPEN_INDEX,
  PERSON_INDEX,
  RECORDINGS,
  ROUTES,
  stackName,
  TASKS,
} from '../../shared/runtime/shared-names.ts';
import { asking, doingTasks, speaking, useSegments } from './permissions.ts';
import { tellAddresses } from './api/addresses.ts';
import { alarms } from './monitoring/alarms.ts';
import { Api } from './api/api.ts';
import { scheduledCanary } from './monitoring/canary.ts';
import type { Canary, ContextOptions } from './context-options.ts';
import { firewall } from './api/firewall.ts';
import { LambdaFunction, type Use } from './lambda-function.ts';
import { Media } from './media.ts';
import { DEAD_LETTERS, Messaging } from './messaging.ts';
import { Parameters } from './parameters.ts';
import { everyMinute } from './schedule.ts';
import { EncryptionKey } from './kms-key.ts';
import { RelayTask } from './containers/relay.ts';
import { Secrets } from './secrets.ts';
import { Storage } from './storage.ts';
import { WorkerService } from './containers/worker-service.ts';

/** All of Parley. Below it, each function with all that it may use, in the order in which a message meets them. */
export class ParleyStack extends Stack {
  readonly parameters = new Parameters(this);
  readonly secrets = new Secrets(this);
  readonly seal: EncryptionKey;
  readonly storage: Storage;
  readonly messaging = new Messaging(this);
  readonly media: Media;
  private readonly api: Api;
  /** Where the world reaches the API. */
  readonly publicUrl: string;
  readonly common: readonly Use[];
  readonly segments: readonly Use[];

  constructor(scope: Construct, id: string, choices: ContextOptions) {
    const { stage, alarmTopic } = choices;
    super(scope, id, {
      stackName: stackName(stage),
      description: 'Parley: a bot for Slack and Discord',
      terminationProtection: stage === 'prod',
      // Told apart on the bill, once they are switched on there as cost allocation tags.
      tags: { project: 'parley', stage },
    });
    this.seal = new EncryptionKey(this, stage);
    this.storage = new Storage(this, stage);
    this.media = new Media(this, stage, this.parameters);
    this.common = [{ env: { [ENV.stage]: stage } }, this.parameters.use('LogLevel')];
    this.segments = useSegments(choices.tracing);
    this.api = new Api(this, { rate: choices.apiRate, burst: choices.apiBurst });
    this.publicUrl = choices.waf ? firewall(this, this.api, choices.apiRate) : this.api.api.apiEndpoint;
    this.routes(choices.waf);
    const uses = [...doingTasks(this), ...this.messaging.useConsume()];
    const [worker, largeWorker] = [this.worker(uses), this.largeWorker()];
    const [transcriber, deadLetters] = [this.transcriber(), this.deadLetters()];
    this.messaging.deliver({ worker, largeWorker, transcriber, deadLetters }, choices);
    const sweeper = this.sweeper();
    everyMinute(this, 'Sweep', sweeper);
    const { tasks } = this.messaging;
    const service = { uses, logGroup: worker.lambda.logGroup, tasks, maxTasks: choices.workerConcurrency };
    const isContainer = choices.worker === 'fargate';
    const workerService = isContainer ? new WorkerService(this, 'TaskService', service) : undefined;
    const relay = choices.relay ? this.relay() : undefined;
    const canary = choices.canary && this.canary(choices.canary);
    const { api, messaging, storage } = this;
    const functions = { worker, largeWorker, transcriber, deadLetters, sweeper, canary };
    alarms(this, { api, messaging, storage, ...functions, workerService, relay }, alarmTopic);
    tellAddresses(this, this.publicUrl);
  }

  /** What the world may reach, and what each address is kept by. */
  private routes(waf: boolean): void {
    const { api } = this;
    api.post(
      ROUTES.slackEvents,
      this.slackEvents(),
      'The function verifies the signature of Slack over the raw body.',
    );
    api.get(
      [ROUTES.slackInstall, ROUTES.slackRedirect],
      this.slackOAuth(waf),
      'People come by browser and are asked by Slack; a signed state, kept in a cookie, ties both visits together.',
    );
    const signed = 'The function verifies the Ed25519 signature of Discord over the raw body.';
    api.post(ROUTES.discordInteractions, this.discordInteractions(), signed);
    api.post(ROUTES.discordEvents, this.discordEvents(), signed);
    api.postSlowly(
      ROUTES.videoCallback,
      this.videoCallback(),
      'The address itself is the secret: 32 random bytes for each job, of which the table holds a hash.',
    );
  }

  /** Open to the world: the token of the bot is there for forms alone, and loaded once a signed call wants one. */
  private slackEvents(): LambdaFunction {
    return new LambdaFunction(this, 'SlackEvents', {
      entry: 'slack-events',
      traced: true,
      description: 'Verifies a Slack request, records it, and queues its task',
      timeout: Duration.seconds(5),
      // A share of a processor: Slack waits three seconds, and a form is opened from here within them.
      memory: 512,
      uses: [
        ...this.common,
        this.parameters.use('SlackAllowedBots', 'SlackBotUserId', 'SlackApiUrl'),
        this.parameters.use('HistoryDays', 'VideoModels'),
        this.secrets.useSlackSigning(),
        this.secrets.useSlackBot(),
        this.seal.useForInstalls('Decrypt'),
        this.storage.useConversations('GetItem', 'PutItem', 'UpdateItem', 'Query'),
        this.messaging.useSend(),
        this.messaging.useShow(),
        this.messaging.useSendVoice(),
      ],
    });
  }

  /** Open to the world: it may add an install, and read or change none. */
  private slackOAuth(waf: boolean): LambdaFunction {
    return new LambdaFunction(this, 'SlackOAuthPages', {
      entry: 'slack-oauth',
      description: 'Pages of the Slack OAuth install; stores the install',
      timeout: Duration.seconds(20),
      uses: [
        ...this.common,
        this.parameters.use('SlackApiUrl'),
        // Behind the firewall a request does not tell the name that the browser called.
        { env: waf ? { [ENV.publicUrl]: this.publicUrl } : {} },
        this.secrets.useSlackOAuth(),
        this.seal.useForInstalls('Encrypt'),
        this.storage.useConversations('PutItem'),
      ],
    });
  }

  /** Open to the world: it has no token, and cannot even read what it writes but for the notes of its own forms. */
  private discordInteractions(): LambdaFunction {
    return new LambdaFunction(this, 'DiscordInteractions', {
      entry: 'discord-interactions',
      traced: true,
      description: 'Verifies a Discord interaction, queues its task, and responds within three seconds',
      timeout: Duration.seconds(5),
      // A share of a processor: three seconds are little for a cold start on a slow one.
      memory: 512,
      uses: [
        ...this.common,
        this.parameters.use('DiscordPublicKey', 'UpstreamModel', 'OtherModels', 'HistoryDays', 'VideoModels'),
        this.storage.useConversations('GetItem', 'PutItem', 'UpdateItem'),
        this.messaging.useSend(),
        this.messaging.useShow(),
      ],
    });
  }

  /** Open to the world: it can queue a task, and reach nothing else. */
  private discordEvents(): LambdaFunction {
    return new LambdaFunction(this, 'DiscordEvents', {
      entry: 'discord-events',
      traced: true,
      description: 'Receives webhook events of Discord: when a person removes the app, queues the erasure',
      timeout: Duration.seconds(5),
      uses: [...this.common, this.parameters.use('DiscordPublicKey'), this.messaging.useSend()],
    });
  }

  /** Runs on beside the functions: what happens on Discord without a command comes by no other way. */
  private relay(): RelayTask {
    return new RelayTask(this, 'DiscordGateway', this.parameters, [
      ...this.common,
      this.parameters.use('DiscordApiUrl', 'DiscordGatewayUrl', 'DiscordMessages', 'HistoryDays'),
      this.secrets.useDiscordBot(),
      this.storage.useConversations('GetItem', 'PutItem', 'UpdateItem', 'Query'),
      this.storage.useTokens('GetItem', 'UpdateItem'),
      this.messaging.useSend(),
      this.messaging.useShow(),
      this.messaging.useSendVoice(),
    ]);
  }

  /** Open to the world: it may read a job, and ask for a look at it. */
  private videoCallback(): LambdaFunction {
    return new LambdaFunction(this, 'VideoCallback', {
      entry: 'video-callback',
      description: 'Receives the callback of a video, and queues a poll of its job',
      timeout: Duration.seconds(5),
      uses: [
        ...this.common,
        this.parameters.use('HistoryDays'),
        this.storage.useConversations('GetItem'),
        this.messaging.useSend(),
      ],
    });
  }

  /** Asks a question as a person would; it can read no table and no queue. */
  private canary(where: Canary): LambdaFunction {
    const slack = [this.parameters.use('SlackApiUrl'), this.secrets.useSlackBot()];
    const front = [{ env: { [ENV.publicUrl]: this.publicUrl } }, this.secrets.useSlackSigning()];
    return scheduledCanary(this, where, [...this.common, ...slack, ...front]);
  }

  private worker(uses: readonly Use[]): LambdaFunction {
    return new LambdaFunction(this, 'Worker', {
      entry: 'worker',
      description: 'Receives tasks, asks the model, answers in the thread',
      timeout: Duration.seconds(TASKS.workerSeconds),
      threads: ['shared/task-queue/watchdog-thread.ts'],
      // What waiting for the models costs is this times the time: see `TASKS`.
      memory: TASKS.workerMemoryMb,
      rehearses: true,
      v8Flags: TASKS.workerV8Flags,
      uses: [...uses, { env: TASKS.workerVariables }],
    });
  }

  private largeWorker(): LambdaFunction {
    return new LambdaFunction(this, 'LargeWorker', {
      entry: 'large-worker',
      description: 'Runs one task at a time that needs much memory or may crash',
      timeout: Duration.seconds(TASKS.workerSeconds),
      threads: ['shared/documents/pdf-thread.ts', 'shared/task-queue/watchdog-thread.ts'],
      // Room for what shared/documents/pdf-reader.ts lets a hostile PDF take.
      memory: TASKS.largeWorkerMemoryMb,
      uses: [...doingTasks(this), ...this.messaging.useConsumeTold()],
    });
  }

  private transcriber(): LambdaFunction {
    return new LambdaFunction(this, 'Transcriber', {
      entry: 'transcriber',
      description: 'Transcribes a recording in chunks, and posts the transcript below its message',
      timeout: Duration.seconds(RECORDINGS.workerSeconds),
      threads: ['shared/media/thread/media-thread.ts'],
      // One processor whole (1,769 MB), and room for a film of 100 MB beside the decoder.
      memory: 1_769,
      uses: [
        ...this.common,
        ...speaking(this),
        ...asking(this),
        this.parameters.use('FfmpegPath'),
        this.storage.useConversations('GetItem', 'PutItem', 'UpdateItem', 'Query', 'DeleteItem'),
        ...this.messaging.useConsumeVoice(),
        // What was said is asked in line with its thread.
        this.messaging.useSend(),
        // A long one that got on comes once more.
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
      uses: [
        ...this.common,
        ...speaking(this),
        this.parameters.use('OtherModels'),
        // What was to be forgotten is forgotten there.
        this.storage.useConversations('GetItem', 'UpdateItem', 'Query', 'DeleteItem'),
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

import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { createAwsServer, type AwsOperations } from './emulator/aws-endpoint.ts';
import { startTables } from './emulator/dynamodb/dynamodb.ts';
import { createRequestDelay } from './emulator/dynamodb/request-delay.ts';
import { startDelivery } from './emulator/sqs/event-sources.ts';
import { type FunctionLoadReport, LocalFunction } from './functions/functions.ts';
import { formatLoadReport, toStartupError } from './functions/load-report.ts';
import { FunctionLoadError } from './functions/thread.ts';
import { readTemplateResources } from './template/template-resources.ts';
import type { TemplateResources } from './template/resource-types.ts';
import { openJournal } from './emulator/sqs/journal.ts';
import { createKmsOperations } from './emulator/kms.ts';
import { closeServer, listen } from './listen.ts';
import type { Logs } from './functions/logs.ts';
import { LOCAL_SECRET, createLookups, getQueueUrl, REGION } from './template/resource-names.ts';
import { LocalProcess } from './functions/processes.ts';
import { Queues } from './emulator/sqs/queues.ts';
import { createQueueLog } from './emulator/sqs/queue-log.ts';
import { startSchedules } from './emulator/schedules.ts';
import { startS3 } from './emulator/s3.ts';
import { createSecretOperations, type LocalSecret } from './emulator/secrets.ts';
import { createSqsOperations } from './emulator/sqs/server.ts';
import { getParameterValues, readTemplate } from './template/template.ts';
import type { InvocationOutcome } from './functions/thread.ts';
import type { Cleanup } from './cleanup.ts';
import { createInvokeOperations } from './emulator/invocations.ts';
import { type Segment, createXRayOperations } from './emulator/xray.ts';

/** Running invocations get this long to finish on stop; the whole stop takes less than 5 s. */
const DRAIN_TIMEOUT_MS = 3_500;

/** The template and the paths of its bundles, from `buildTemplate`. */
export type TemplateBuild = {
  readonly template: unknown;
  assetDir(logicalId: string): string;
  /** Returns the path of a process file by its asset name. */
  assetFile?(name: string): string;
  /** Reads the commands for the simulated Discord, as JSON. Without it there are none. */
  discordCommands?(): Promise<string>;
};

export type EmulatorOptions = {
  readonly built: TemplateBuild;
  /** Folder for tables and queues. */
  readonly directory: string;
  /** Base URL of the HTTP API. */
  readonly api: string;
  /** Returns values for these parameters. */
  readonly parameters: (names: readonly string[]) => Readonly<Record<string, string>>;
  /** Returns the value of a secret by its `parley:secret` metadata; undefined if unknown. */
  readonly secret: (kind: string) => unknown;
  /** Secret from which the KMS keys are derived; constant for a data folder. */
  readonly kmsSecret: string;
  readonly logs: Logs;
  /** Tells people what they should know while it runs. */
  readonly say?: ((line: string) => void) | undefined;
  /** Whether Discord is configured; otherwise processes that need it are not started. */
  readonly hasDiscord?: boolean | undefined;
};

/** The emulated resources of the template. */
export type Emulator = {
  readonly resources: TemplateResources;
  readonly dynamodb: string;
  /** Environment variables to reach the services; also for AWS clients of tests and tools. */
  readonly environment: Readonly<Record<string, string>>;
  readonly queues: Queues;
  readonly processes: readonly LocalProcess[];
  /** The last thousand X-Ray segments. */
  readonly segments: readonly Segment[];
  readonly invoke: (
    functionId: string,
    event: unknown,
    onPart?: (bytes: Uint8Array) => void,
  ) => Promise<InvocationOutcome>;
  /** Ends the process of a function if it is working, as a crash does. Resolves with whether it was. */
  killFunction(functionId: string): Promise<boolean>;
  /** Delays the requests of the functions to the tables by this time (ms). */
  setTableDelay(ms: number): void;
  /** Starts delivering messages and running schedules. */
  begin(): void;
  /**
   * Loads each function once, one after another, and keeps those between a question and its answer: the others would need
   * 120 MB. Rejects with StartupError when one cannot be loaded: see `LocalFunction.warm`.
   */
  warm(): Promise<void>;
};

/**
 * Starts the resources of the template. Nothing is delivered before `begin`. Rejects for unsupported resources; what was
 * started by then is in `undo`.
 */
export async function startEmulator(options: EmulatorOptions, undo: Cleanup): Promise<Emulator> {
  const { built, directory, api, logs } = options;
  const template = readTemplate(built.template);
  const parameters = getParameterValues(template, options.parameters(Object.keys(template.Parameters)));
  const segments: Segment[] = [];
  let operations: AwsOperations = {};
  const accessKeyId = `LOCAL${randomBytes(12).toString('hex').toUpperCase()}`;
  const server = createAwsServer(accessKeyId, () => operations);
  const aws = `http://127.0.0.1:${await listen(server, '127.0.0.1', 0)}`;
  undo.push(() => closeServer(server, 100));
  const urls = { api, aws };
  const resources = readTemplateResources(template, createLookups(template, parameters, urls));
  const tableDelay = createRequestDelay();
  const { buckets, permissions } = resources;
  const check = { permissions, note: logs.note };
  const control = { delay: tableDelay, check };
  const dynamodb = await startTables(join(directory, 'dynamodb'), resources.tables, undo, control);
  const { journal, records } = openJournal(join(directory, 'queues.jsonl'));
  const queues = new Queues(resources.queues, journal, records, Date.now, randomUUID, createQueueLog(logs));
  undo.push(() => queues.close());
  operations = {
    ...createSqsOperations(queues, (name) => getQueueUrl(name, urls)),
    ...createSecretOperations(getLocalSecrets(resources, options.secret)),
    ...createKmsOperations(resources.keys, options.kmsSecret),
    ...createXRayOperations(segments),
    ...createInvokeOperations(resources.functions, (id, event) => invoke(id, event)),
  };
  const inS3 = { directory: join(directory, 's3'), buckets, accessKeyId, rights: permissions };
  const s3 = await startS3(inS3, undo);
  const environment = getEnvironment(accessKeyId, dynamodb, aws, s3);
  const functions = startFunctions(resources, built, environment, options);
  undo.push(async () => {
    await Promise.all([...functions.values()].map((localFunction) => localFunction.close(DRAIN_TIMEOUT_MS)));
  });
  const { invoke, invokeScheduled, pauseMs, killFunction } = createInvoker(functions);
  const selected = resources.processes.filter(({ needsDiscord }) => !needsDiscord || options.hasDiscord);
  const processes = createProcesses(selected, built, { directory, access: environment, logs });
  const begin = () => {
    const deliveries = { queues, invoke, pauseMs, note: logs.note, now: Date.now };
    for (const source of resources.eventSources) undo.push(startDelivery(source, deliveries));
    undo.push(startSchedules(resources.schedules, invokeScheduled, Date.now));
    for (const localProcess of processes) localProcess.start();
    undo.push(async () => {
      await Promise.all(processes.map((localProcess) => localProcess.close()));
    });
  };
  return {
    resources,
    dynamodb,
    environment,
    queues,
    processes,
    segments,
    invoke,
    killFunction,
    setTableDelay: (ms) => tableDelay.set(ms),
    begin,
    warm: () => loadOnce(functions, join(directory, 'logs')),
  };
}

/** See `Emulator.warm`. */
async function loadOnce(functions: ReadonlyMap<string, LocalFunction>, logs: string): Promise<void> {
  for (const [id, localFunction] of functions) {
    await localFunction.warm().catch((error: unknown) => {
      if (!(error instanceof FunctionLoadError)) throw error;
      throw toStartupError(toLogName(id), error, join(logs, `${toLogName(id)}.log`));
    });
    if (!isKept(id)) await localFunction.unload();
  }
}

type ScheduledInvoker = {
  /** Invokes a function by its schedule. Until the next time its loaded bundle would take some 25 MB for nothing. */
  readonly invokeScheduled: (functionId: string, event: unknown) => Promise<InvocationOutcome>;
  /** See `LocalFunction.pauseMs`. */
  readonly pauseMs: (functionId: string) => number;
};

/** Finds functions by their logical id. Rejects for unknown ones. */
function createInvoker(
  functions: ReadonlyMap<string, LocalFunction>,
): Pick<Emulator, 'invoke' | 'killFunction'> & ScheduledInvoker {
  const find = (id: string): LocalFunction => {
    const localFunction = functions.get(id);
    if (localFunction === undefined) throw new Error(`There is no function ${id}`);
    return localFunction;
  };
  return {
    invoke: async (id, event, onPart) => await find(id).invoke(event, onPart),
    invokeScheduled: async (id, event) =>
      isKept(id) ? await find(id).invoke(event) : await find(id).invokeOnce(event),
    pauseMs: (id) => find(id).pauseMs,
    killFunction: async (id) => await find(id).kill(),
  };
}

type ProcessContext = {
  readonly directory: string;
  readonly access: Readonly<Record<string, string>>;
  readonly logs: Logs;
};

function createProcesses(
  processes: TemplateResources['processes'],
  built: TemplateBuild,
  { directory, access, logs }: ProcessContext,
): LocalProcess[] {
  return processes.flatMap(({ logicalId, files, count, role, env: own }) => {
    const name = logicalId.replace(/Task[0-9A-F]{8}$/, '');
    const paths = Object.entries(files).map(([file, asset]) => {
      const path = built.assetFile?.(asset);
      if (path === undefined) throw new Error(`${logicalId} of the template is a process without a bundle`);
      return [file, path] as const;
    });
    const env = { ...access, AWS_SESSION_TOKEN: role, ...own };
    return Array.from({ length: count }, (_, index) => {
      const folder = join(directory, index === 0 ? name : `${name}-${index + 1}`);
      return new LocalProcess(Object.fromEntries(paths), folder, env, logs.of(name));
    });
  });
}

function getLocalSecrets({ secrets }: TemplateResources, getValue: EmulatorOptions['secret']): LocalSecret[] {
  return secrets.map(({ arn, name, kind }) => {
    const value = getValue(kind);
    if (value !== undefined) return { arn, name, value: JSON.stringify(value) };
    throw new Error(`The local system has no value for the secret ${name} ("parley:secret": ${kind})`);
  });
}

function startFunctions(
  inventory: TemplateResources,
  built: TemplateBuild,
  access: Readonly<Record<string, string>>,
  { logs, say }: Pick<EmulatorOptions, 'logs' | 'say'>,
) {
  const functions = new Map<string, LocalFunction>();
  for (const spec of inventory.functions) {
    const directory = built.assetDir(spec.logicalId);
    const env = {
      ...access,
      // On Lambda the credentials belong to a session of the function's role; here the session token names the role.
      AWS_SESSION_TOKEN: spec.role,
      AWS_LAMBDA_FUNCTION_NAME: spec.name,
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(spec.memoryMb),
      AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
      LAMBDA_TASK_ROOT: directory,
      ...spec.env,
    };
    const name = toLogName(spec.logicalId);
    const report = (loaded: FunctionLoadReport): void => {
      const line = formatLoadReport(name, loaded);
      logs.note(line);
      say?.(line);
    };
    functions.set(spec.logicalId, new LocalFunction({ ...spec, directory, env }, logs.of(name), { report }));
  }
  return functions;
}

/** The functions between a question and its answer, by the names of their logs. */
const KEPT_FUNCTIONS = new Set(['SlackEvents', 'DiscordInteractions', 'DiscordEvents', 'Worker']);
const isKept = (functionId: string): boolean => KEPT_FUNCTIONS.has(toLogName(functionId));

/** The variables that Lambda sets for every function, and the local endpoints of the services. */
function getEnvironment(
  accessKeyId: string,
  dynamodb: string,
  aws: string,
  s3: string,
): Record<string, string> {
  return {
    AWS_REGION: REGION,
    AWS_DEFAULT_REGION: REGION,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: LOCAL_SECRET,
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_ENDPOINT_URL_DYNAMODB: dynamodb,
    AWS_ENDPOINT_URL_SQS: aws,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: aws,
    AWS_ENDPOINT_URL_KMS: aws,
    AWS_ENDPOINT_URL_S3: s3,
    AWS_ENDPOINT_URL_XRAY: aws,
    AWS_ENDPOINT_URL_LAMBDA: aws,
  };
}

/** Removes the CDK's suffix: `WorkerFunctionAF8A26AF` becomes `Worker`. */
function toLogName(logicalId: string): string {
  return logicalId.replace(/(Function)?[0-9A-F]{8}$/, '') || logicalId;
}

import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { awsEndpoint } from './emulator/aws-endpoint.ts';
import type { AwsOperations } from './emulator/aws-endpoint.ts';
import { startTables } from './emulator/dynamodb/dynamodb.ts';
import { startDelivery } from './emulator/sqs/event-sources.ts';
import { LocalFunction } from './functions/functions.ts';
import { readTemplateResources } from './template/template-resources.ts';
import type { TemplateResources } from './template/template-resources.ts';
import { openJournal } from './emulator/sqs/journal.ts';
import { kmsOperations } from './emulator/kms.ts';
import { closeServer, listen } from './listen.ts';
import type { Logs } from './functions/logs.ts';
import { LOCAL_SECRET, lookups, queueUrl, REGION } from './template/data-paths.ts';
import { LocalProcess } from './functions/processes.ts';
import { Queues } from './emulator/sqs/queues.ts';
import { startSchedules } from './emulator/schedules.ts';
import { startS3 } from './emulator/s3.ts';
import { secretOperations } from './emulator/secrets.ts';
import type { LocalSecret } from './emulator/secrets.ts';
import { sqsOperations } from './emulator/sqs/server.ts';
import { parameterValues, readTemplate } from './template/template.ts';
import type { Outcome } from './functions/thread.ts';
import type { Cleanup } from './cleanup.ts';
import { type Segment, xrayOperations } from './emulator/xray.ts';

/** Running invocations get this long to finish when the system stops; the whole stop stays under 5 s. */
const DRAIN_MS = 3_500;

/** The template and where its bundles lie, as `builtTemplate` gives them. */
export type Built = {
  readonly template: unknown;
  assetDir(logicalId: string): string;
  /** A file of a process, by its name among the assets. */
  assetFile?(name: string): string;
};

export type EmulatorOptions = {
  readonly built: Built;
  /** Folder for tables and queues. */
  readonly directory: string;
  /** Address of the HTTP API. */
  readonly api: string;
  /** Values for the parameters of these names. */
  readonly parameters: (names: readonly string[]) => Readonly<Record<string, string>>;
  /** What a secret holds, by its `parley:secret`; undefined for one that is not known. */
  readonly secret: (kind: string) => unknown;
  /** What the keys of KMS are made from; the same as long as the data folder lives. */
  readonly seal: string;
  readonly logs: Logs;
  /** Whether there is Discord: without it, the processes that connect to it are not started. */
  readonly hasDiscord?: boolean | undefined;
};

/** Everything of the template that runs on this machine. */
export type Emulator = {
  readonly inventory: TemplateResources;
  readonly dynamodb: string;
  /** What functions reach the services with; the same serves the AWS clients of tests and tools. */
  readonly access: Readonly<Record<string, string>>;
  readonly queues: Queues;
  readonly processes: readonly LocalProcess[];
  /** What X-Ray was told; the last thousand. */
  readonly segments: readonly Segment[];
  readonly invoke: (functionId: string, event: unknown) => Promise<Outcome>;
  /** Begins to deliver messages and to run schedules. */
  begin(): void;
  /** Loads the functions that no event has loaded yet, one after the other. Rejects when one cannot be loaded. */
  warm(): Promise<void>;
};

/**
 * Starts what the template describes. Nothing is delivered before `begin`. Rejects for what it cannot serve; what
 * was started is in `undo` in any case.
 */
export async function startEmulator(options: EmulatorOptions, undo: Cleanup): Promise<Emulator> {
  const { built, directory, api, logs } = options;
  const template = readTemplate(built.template);
  const parameters = parameterValues(template, options.parameters(Object.keys(template.Parameters)));
  const segments: Segment[] = [];
  let operations: AwsOperations = {};
  const accessKeyId = `LOCAL${randomBytes(12).toString('hex').toUpperCase()}`;
  const server = awsEndpoint(accessKeyId, () => operations);
  const aws = `http://127.0.0.1:${await listen(server, '127.0.0.1', 0)}`;
  undo.push(() => closeServer(server, 100));
  const places = { api, aws };
  const inventory = readTemplateResources(template, lookups(template, parameters, places));
  const dynamodb = await startTables(join(directory, 'dynamodb'), inventory.tables, undo);
  const { journal, records } = openJournal(join(directory, 'queues.jsonl'));
  const queues = new Queues(inventory.queues, journal, records, Date.now, randomUUID);
  undo.push(() => queues.close());
  operations = {
    ...sqsOperations(queues, (name) => queueUrl(name, places)),
    ...secretOperations(localSecrets(inventory, options.secret)),
    ...kmsOperations(inventory.keys, options.seal),
    ...xrayOperations(segments),
  };
  const { buckets, s3Rights: rights } = inventory;
  const s3 = await startS3({ directory: join(directory, 's3'), buckets, accessKeyId, rights }, undo);
  const access = accessVariables(accessKeyId, dynamodb, aws, s3);
  const functions = startFunctions(inventory, built, access, logs);
  undo.push(async () => {
    await Promise.all([...functions.values()].map((one) => one.close(DRAIN_MS)));
  });
  const invoke = async (id: string, event: unknown): Promise<Outcome> => {
    const one = functions.get(id);
    if (one === undefined) throw new Error(`There is no function ${id}`);
    return await one.invoke(event);
  };
  const wanted = inventory.processes.filter(({ needsDiscord }) => !needsDiscord || options.hasDiscord);
  const processes = processesOf(wanted, built, { directory, access, logs });
  const begin = () => {
    const deliveries = { queues, invoke, note: logs.note, now: Date.now };
    for (const source of inventory.eventSources) undo.push(startDelivery(source, deliveries));
    undo.push(startSchedules(inventory.schedules, invoke, Date.now));
    for (const one of processes) one.start();
    undo.push(async () => {
      await Promise.all(processes.map((one) => one.close()));
    });
  };
  const warm = async () => {
    for (const one of functions.values()) await one.warm();
  };
  return { inventory, dynamodb, access, queues, processes, segments, invoke, begin, warm };
}

type StackResources = {
  readonly directory: string;
  readonly access: Readonly<Record<string, string>>;
  readonly logs: Logs;
};

function processesOf(
  processes: TemplateResources['processes'],
  built: Built,
  { directory, access, logs }: StackResources,
): LocalProcess[] {
  return processes.flatMap(({ logicalId, files, count, env }) => {
    const name = logicalId.replace(/Task[0-9A-F]{8}$/, '');
    const found = Object.entries(files).map(([file, asset]) => {
      const path = built.assetFile?.(asset);
      if (path === undefined) throw new Error(`${logicalId} of the template is a process without a bundle`);
      return [file, path] as const;
    });
    return Array.from({ length: count }, (_, nth) => {
      const folder = join(directory, nth === 0 ? name : `${name}-${nth + 1}`);
      return new LocalProcess(Object.fromEntries(found), folder, { ...access, ...env }, logs.of(name));
    });
  });
}

function localSecrets({ secrets }: TemplateResources, getValue: EmulatorOptions['secret']): LocalSecret[] {
  return secrets.map(({ arn, name, kind }) => {
    const value = getValue(kind);
    if (value !== undefined) return { arn, name, value: JSON.stringify(value) };
    throw new Error(`The local system has no value for the secret ${name} ("parley:secret": ${kind})`);
  });
}

function startFunctions(
  inventory: TemplateResources,
  built: Built,
  access: Readonly<Record<string, string>>,
  logs: Logs,
) {
  const functions = new Map<string, LocalFunction>();
  for (const spec of inventory.functions) {
    const directory = built.assetDir(spec.logicalId);
    const env = {
      ...access,
      // Lambda's credentials are those of a session of the function's role; here the token names the role.
      AWS_SESSION_TOKEN: spec.role,
      AWS_LAMBDA_FUNCTION_NAME: spec.name,
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(spec.memoryMb),
      AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
      LAMBDA_TASK_ROOT: directory,
      ...spec.env,
    };
    functions.set(
      spec.logicalId,
      new LocalFunction({ ...spec, directory, env }, logs.of(logName(spec.logicalId))),
    );
  }
  return functions;
}

/** What Lambda sets for every function, and where the services are on this machine. */
function accessVariables(
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
  };
}

/** `WorkerFunctionAF8A26AF` is `Worker` to people: the CDK adds the rest. */
function logName(logicalId: string): string {
  return logicalId.replace(/(Function)?[0-9A-F]{8}$/, '') || logicalId;
}

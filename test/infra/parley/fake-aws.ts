import aws4 from 'aws4';
import { createServer } from 'node:http';
import * as v from 'valibot';
import type { Variables } from '../../../infra/configuration/index.ts';
import type { OperatorCall } from '../../../infra/parley/operator/operator-call.ts';
import { listen } from '../../../infra/local/listen.ts';

export const CREDENTIALS = { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'secret-of-the-account' };
export const REGION = 'eu-central-1';
/** The variables of a machine without credentials, also if the tests run on an EC2 instance, which may have a role. */
export const NO_AWS = {
  AWS_CONFIG_FILE: '/nowhere',
  AWS_SHARED_CREDENTIALS_FILE: '/nowhere',
  AWS_EC2_METADATA_DISABLED: 'true',
};

/** The variables of somebody who may use the fake. */
export const FAKE_ACCOUNT = {
  ...NO_AWS,
  AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
  AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
  AWS_REGION: REGION,
};

export type FakeAwsOptions = {
  /** The error that STS returns. */
  readonly stsError?: string;
  /** The quota of concurrent functions. */
  readonly concurrency?: number;
  /** The services for which IAM has created a service-linked role. Changed by CreateServiceLinkedRole. */
  readonly roles?: Set<string>;
  /** The error that IAM returns. */
  readonly iamError?: string;
  /** The error that CloudFormation returns. */
  readonly stackError?: string;
  /** The state of all stacks. */
  readonly stackStatus?: string;
  /** The outputs of stacks by their name. */
  readonly stacks?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** The parameters of each stack. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** The contents of secrets by their id. Changed by PutSecretValue. */
  readonly secrets?: Map<string, string>;
  /** Of each request for a secret. */
  readonly secretError?: string | undefined;
  /** The answer of CloudWatch (metrics and alarms). */
  readonly monitoring?: unknown;
  /** CloudWatch Logs, which rejects a malformed request. */
  readonly logs?: OperatorCall;
};

/** An alarm that notifies a topic and is not raised, as CloudWatch describes it. */
export const QUIET_ALARM = {
  AlarmName: 'Parley-task-died',
  AlarmDescription: 'A task failed. What to do: docs/runbook.md#task-died',
  AlarmActions: ['arn:aws:sns:eu-central-1:123456789012:alarms'],
  StateValue: 'OK',
  StateUpdatedTimestamp: 1,
};

/** Runs with these variables, which the client of AWS reads from the process. */
export async function withVariables<T>(variables: Variables, run: () => Promise<T>): Promise<T> {
  const before = Object.fromEntries(Object.keys(variables).map((name) => [name, process.env[name]]));
  try {
    setVariables(variables);
    return await run();
  } finally {
    setVariables(before);
  }
}

function setVariables(variables: Variables): void {
  for (const [name, value] of Object.entries(variables)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
}

type Reply = { readonly status: number; readonly body: unknown };
const ok = (body: unknown): Reply => ({ status: 200, body });
const queryError = (code: string): Reply => ({ status: 400, body: { Error: { Code: code } } });
const objectSchema = v.record(v.string(), v.unknown());
const secretSchema = v.object({ SecretId: v.string(), SecretString: v.optional(v.string()) });

/** STS, IAM, Lambda, CloudFormation, CloudWatch and Secrets Manager in one. Rejects requests with a wrong signature, like AWS. */
export async function startFakeAws(
  options: FakeAwsOptions = {},
): Promise<{ url: string; close: () => void }> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => void respond());
    const respond = async (): Promise<void> => {
      const body = Buffer.concat(chunks).toString();
      const { method = '', url: path = '', headers } = request;
      const [, service = ''] =
        /\/\d{8}\/[\w-]+\/([\w-]+)\/aws4_request/.exec(headers.authorization ?? '') ?? [];
      const names = /SignedHeaders=([^,]+)/.exec(headers.authorization ?? '')?.[1]?.split(';') ?? [];
      const signed = Object.fromEntries(names.map((name) => [name, String(headers[name])]));
      const again = aws4.sign(
        // IAM has no regions: its requests are signed for this one.
        {
          service,
          region: service === 'iam' ? 'us-east-1' : REGION,
          method,
          path,
          host: headers.host ?? '',
          headers: signed,
          body,
        },
        CREDENTIALS,
      );
      const isSigned = again.headers['Authorization'] === headers.authorization;
      const target = String(headers['x-amz-target'] ?? '');
      const type = headers['content-type'] ?? '';
      const reply = isSigned
        ? await answer(options, { service, target, type, body })
        : queryError('SignatureDoesNotMatch');
      response.writeHead(reply.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(reply.body));
    };
  });
  const url = `http://127.0.0.1:${await listen(server, '127.0.0.1', 0)}`;
  return { url, close: () => void server.close() };
}

const alarmsSchema = v.object({ AlarmNamePrefix: v.string() });

const listAlarms = (body: string): object[] => {
  const { AlarmNamePrefix: prefix } = v.parse(alarmsSchema, JSON.parse(body));
  return [{ ...QUIET_ALARM, AlarmName: `${prefix}task-died` }];
};

type Asked = {
  readonly service: string;
  readonly target: string;
  readonly type: string;
  readonly body: string;
};

function answerSecrets(
  { secrets = new Map<string, string>(), secretError }: FakeAwsOptions,
  target: string,
  body: string,
): Reply {
  const { SecretId: id, SecretString: content } = v.parse(secretSchema, JSON.parse(body));
  if (secretError !== undefined) return { status: 400, body: { __type: secretError } };
  if (!secrets.has(id)) return { status: 400, body: { __type: 'ResourceNotFoundException' } };
  if (target.endsWith('PutSecretValue')) secrets.set(id, content ?? '');
  return ok({ SecretString: secrets.get(id) });
}

async function answerLogs({ logs }: FakeAwsOptions, target: string, body: string): Promise<Reply> {
  try {
    return ok(await logs?.('logs', target, v.parse(objectSchema, JSON.parse(body))));
  } catch {
    return { status: 400, body: { __type: 'InvalidParameterException' } };
  }
}

function createRole({ roles = new Set() }: FakeAwsOptions, body: string): Reply {
  const name = new URLSearchParams(body).get('AWSServiceName') ?? '';
  if (roles.has(name)) return queryError('InvalidInput');
  roles.add(name);
  return ok({ CreateServiceLinkedRoleResponse: {} });
}

async function answer(options: FakeAwsOptions, { service, target, type, body }: Asked): Promise<Reply> {
  const { stsError, concurrency = 1_000, stacks = {} } = options;
  switch (service) {
    case 'sts':
      return stsError === undefined
        ? ok({ GetCallerIdentityResponse: { GetCallerIdentityResult: { Account: '123456789012' } } })
        : queryError(stsError);
    case 'iam':
      return options.iamError === undefined ? createRole(options, body) : queryError(options.iamError);
    case 'lambda':
      return ok({ AccountLimit: { ConcurrentExecutions: concurrency } });
    case 'cloudformation': {
      if (options.stackError !== undefined) return queryError(options.stackError);
      const outputs = stacks[new URLSearchParams(body).get('StackName') ?? ''];
      if (outputs === undefined) return queryError('ValidationError');
      const Outputs = Object.entries(outputs).map(([OutputKey, OutputValue]) => ({ OutputKey, OutputValue }));
      const Parameters = Object.entries(options.parameters ?? {}).map(([ParameterKey, ParameterValue]) => ({
        ParameterKey,
        ParameterValue,
      }));
      const Stacks = [{ StackStatus: options.stackStatus ?? 'CREATE_COMPLETE', Outputs, Parameters }];
      return ok({ DescribeStacksResponse: { DescribeStacksResult: { Stacks } } });
    }
    case 'logs':
      return answerLogs(options, target, body);
    case 'monitoring':
      // Smithy, "AWS JSON 1.0 protocol": another content type is another protocol.
      return type === 'application/x-amz-json-1.0' && target.startsWith('GraniteServiceVersion20100801.')
        ? ok(options.monitoring ?? { MetricAlarms: listAlarms(body) })
        : { status: 400, body: { __type: 'UnknownOperationException' } };
    default:
      return answerSecrets(options, target, body);
  }
}

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { stackName } from '../../../shared/runtime/index.ts';
import { parseJson } from '../../../shared/utils/index.ts';
import { createProbe } from '../../configuration/index.ts';
import { type Outputs, readOutputs } from '../aws/deployment.ts';
import type { AwsAccount } from '../aws/signed-request.ts';
import type { Terminal } from '../terminal.ts';
import { openAccount } from './open-account.ts';
import { createOperatorCall, type OperatorCall } from './operator-call.ts';
import { OperatorError } from '../operator-error.ts';

/** Which system a command is about: a deployment if there is a stage, otherwise that of this machine. */
export type SystemChoice = {
  readonly stage?: string | undefined;
  /** The data folder of `npm start`. */
  readonly data: string;
};

export type LocalSystemAccess = {
  readonly kind: 'local';
  readonly name: string;
  readonly outputs: Outputs;
  readonly call: OperatorCall;
  readonly data: string;
  readonly api: string;
  readonly slackTeam: string | undefined;
  readonly logLevel: string | undefined;
  readonly timeZone: string | undefined;
};

export type DeploymentAccess = {
  readonly kind: 'deployment';
  readonly name: string;
  readonly outputs: Outputs;
  readonly call: OperatorCall;
  readonly stack: string;
  readonly account: AwsAccount;
};

/** A system that runs, and how to reach its tables and queues. */
export type SystemAccess = LocalSystemAccess | DeploymentAccess;

const NOT_RUNNING = 'The local system does not run. Start it with "npm start" in another terminal.';
const AWS_TIMEOUT_MS = 15_000;

const localSchema = v.object({
  api: v.string(),
  slack: v.object({ teamId: v.nullable(v.string()) }),
  aws: v.object({
    region: v.string(),
    accessKeyId: v.string(),
    secretAccessKey: v.string(),
    endpoints: v.object({ dynamodb: v.string(), sqs: v.string() }),
    outputs: v.record(v.string(), v.string()),
    logLevel: v.optional(v.string()),
    timeZone: v.optional(v.string()),
  }),
});

/** Finds the system. Rejects with OperatorError if it does not run, or there are no credentials for it. */
export async function openSystem(
  choice: SystemChoice,
  terminal: Pick<Terminal, 'env'>,
): Promise<SystemAccess> {
  return choice.stage === undefined ? openLocalSystem(choice.data) : openDeployment(choice.stage, terminal);
}

/** Reads `local.json`. Throws OperatorError if the system does not run. */
export function openLocalSystem(data: string): LocalSystemAccess {
  const file = join(data, 'local.json');
  if (!existsSync(file))
    throw new OperatorError(`${NOT_RUNNING} For another data folder add --data, for a deployment --stage.`);
  const parsed = v.safeParse(localSchema, parseJson(readFileSync(file, 'utf8')));
  if (!parsed.success) throw new OperatorError(`${file} is of another version. Start "npm start" again.`);
  const { api, slack, aws } = parsed.output;
  const { region, accessKeyId, secretAccessKey, endpoints, outputs, logLevel, timeZone } = aws;
  const account = { region, credentials: { accessKeyId, secretAccessKey } };
  const call = createOperatorCall(account, { endpoints, unreachable: NOT_RUNNING });
  const slackTeam = slack.teamId ?? undefined;
  const name = `the local system in ${data}`;
  return { kind: 'local', name, outputs, call, data, api, slackTeam, logLevel, timeZone };
}

/** Reads the outputs of the stack with the operator's credentials. */
export async function openDeployment(
  stage: string,
  terminal: Pick<Terminal, 'env'>,
): Promise<DeploymentAccess> {
  if (!/^[\w-]{1,40}$/u.test(stage))
    throw new OperatorError(`"${stage}" is no stage: letters, digits and hyphens, as in -c stage=prod.`);
  const { account, call } = await openAccount(terminal);
  const stack = stackName(stage);
  const outputs = await readOutputs(account, stack, createProbe(AWS_TIMEOUT_MS));
  return { kind: 'deployment', name: `${stack} in ${account.region}`, outputs, call, stack, account };
}

/** Returns an output. Throws OperatorError if the deployment is of an older version without it. */
export function getOutput({ outputs, name }: Pick<SystemAccess, 'outputs' | 'name'>, output: string): string {
  const value = outputs[output];
  if (value === undefined)
    throw new OperatorError(`${name} has no output ${output}: it is of an older version. Deploy it again.`);
  return value;
}

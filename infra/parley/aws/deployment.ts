import * as v from 'valibot';
import type { Probe } from '../../configuration/index.ts';
import { AWS_UNREACHABLE, findAwsFix } from './aws-failure.ts';
import { type AwsAccount, FORM_HEADERS, readAwsError, sendSigned } from './signed-request.ts';
import { OperatorError } from '../operator-error.ts';

/** A deployment cannot be read or changed. The message says why and what to do. */
export class ConnectError extends OperatorError {
  override readonly name: string = 'ConnectError';
}

/** There is no such stack. */
class NoStackError extends ConnectError {
  override readonly name = 'NoStackError';
}

/** The outputs of a stack by name, such as `SlackEventsUrl`. */
export type Outputs = Readonly<Record<string, string>>;

const stacksSchema = v.object({
  DescribeStacksResponse: v.object({
    DescribeStacksResult: v.object({
      Stacks: v.pipe(
        v.array(
          v.object({
            StackStatus: v.string(),
            Parameters: v.nullish(
              v.array(v.object({ ParameterKey: v.string(), ParameterValue: v.optional(v.string(), '') })),
            ),
            Outputs: v.nullish(v.array(v.object({ OutputKey: v.string(), OutputValue: v.string() }))),
          }),
        ),
        v.minLength(1),
      ),
    }),
  }),
});

/** Reads the outputs of a stack. Rejects with ConnectError. */
export async function readOutputs(account: AwsAccount, stack: string, probe: Probe): Promise<Outputs> {
  const { Outputs: outputs, StackStatus: status } = await readStack(account, stack, probe);
  if (!outputs || outputs.length === 0)
    throw new ConnectError(
      `The stack ${stack} has no outputs: its state is ${status}. ${fixState(stack, status)}`,
    );
  return Object.fromEntries(outputs.map(({ OutputKey: key, OutputValue: value }) => [key, value]));
}

/**
 * Whether a stack is deployed. One without outputs is not: its first deployment failed or was only planned. Rejects with ConnectError if that cannot be
 * read, for example because the credentials lack the right or AWS is busy.
 */
export async function isDeployed(account: AwsAccount, stack: string, probe: Probe): Promise<boolean> {
  try {
    const { Outputs: outputs } = await readStack(account, stack, probe);
    return (outputs ?? []).length > 0;
  } catch (error) {
    if (error instanceof NoStackError) return false;
    throw error;
  }
}

/**
 * What to do about a stack without outputs. A failed first deployment leaves the stack. The CDK deletes it before the next one, which CloudFormation refuses
 * while the stack is protected, as `prod` is.
 */
function fixState(stack: string, status: string): string {
  if (status === 'REVIEW_IN_PROGRESS') return 'It was never deployed: only a change set was made. Deploy it.';
  if (status.endsWith('_IN_PROGRESS')) return 'Wait until it ends, then run this again.';
  const events = `aws cloudformation describe-stack-events --stack-name ${stack}`;
  if (status.startsWith('ROLLBACK_'))
    return `Its first deployment failed; "${events}" says why. Correct that, run "aws cloudformation update-termination-protection --no-enable-termination-protection --stack-name ${stack}", and deploy it again.`;
  if (status === 'DELETE_FAILED')
    return `"${events}" says what could not be deleted. Correct that, delete it, and deploy it again.`;
  return 'Deploy it again.';
}

/** Reads the parameters of a stack, such as `HistoryDays`. Rejects with ConnectError. */
export async function readParameters(account: AwsAccount, stack: string, probe: Probe): Promise<Outputs> {
  const { Parameters: parameters } = await readStack(account, stack, probe);
  return Object.fromEntries(
    (parameters ?? []).map(({ ParameterKey: key, ParameterValue: value }) => [key, value]),
  );
}

/** The addresses of Slack and Discord that a deployment uses; GovSlack and proxies have others. Undefined for those that its parameters do not name. */
export type PlatformUrls = { readonly slack: string | undefined; readonly discord: string | undefined };

/** Returns the addresses in the parameters of a stack. That of Discord gets its version: the functions add it themselves. */
export function toPlatformUrls({ SlackApiUrl: slack, DiscordApiUrl: discord }: Outputs): PlatformUrls {
  return { slack, discord: discord?.replace(/(?:\/v\d+)?\/*$/u, '/v10') };
}

type Stack = v.InferOutput<
  typeof stacksSchema
>['DescribeStacksResponse']['DescribeStacksResult']['Stacks'][number];

async function readStack(account: AwsAccount, stack: string, probe: Probe): Promise<Stack> {
  const body = String(
    new URLSearchParams({
      Action: 'DescribeStacks',
      Version: '2010-05-15',
      ContentType: 'JSON',
      StackName: stack,
    }),
  );
  const request = {
    service: 'cloudformation',
    method: 'POST',
    path: '/',
    headers: FORM_HEADERS,
    body,
  } as const;
  const response = await sendSigned(account, request, probe);
  const parsed = response.kind === 'answered' ? v.safeParse(stacksSchema, response.json) : undefined;
  if (!parsed?.success) {
    const code = readAwsError(response);
    const failure = `The stack ${stack} could not be read (${code}).`;
    if (code === 'ValidationError')
      throw new NoStackError(
        `${failure} There is no stack ${stack} in ${account.region}. Deploy it first, or choose another --stage or AWS_REGION.`,
      );
    const fix =
      findAwsFix(response, code, { region: account.region, action: 'cloudformation:DescribeStacks' }) ??
      (response.kind === 'unreachable' ? AWS_UNREACHABLE : '"npx parley doctor" checks the AWS credentials.');
    throw new ConnectError(`${failure} ${fix}`);
  }
  const [first] = parsed.output.DescribeStacksResponse.DescribeStacksResult.Stacks;
  if (first === undefined) throw new ConnectError(`There is no stack ${stack} in ${account.region}.`);
  return first;
}

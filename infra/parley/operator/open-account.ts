import { loadAwsAccount } from '../aws/account.ts';
import { AWS_UNREACHABLE } from '../aws/aws-failure.ts';
import type { AwsAccount } from '../aws/signed-request.ts';
import { OperatorError } from '../operator-error.ts';
import type { Terminal } from '../terminal.ts';
import { createOperatorCall, type OperatorCall } from './operator-call.ts';
import { createRenewingCall } from './renewing-call.ts';

export type AccountAccess = { readonly account: AwsAccount; readonly call: OperatorCall };

/** Operations that change nothing. */
const isRead = (operation: string): boolean => /^(?:Describe|Filter|Get|List|Query|Scan)/u.test(operation);

/**
 * Loads the AWS account of the operator. Its call reads the credentials again when they have expired. `isRepeatable`: operations that are sent again if
 * there was no response. Rejects with OperatorError if there are no credentials.
 */
export async function openAccount(
  { env }: Pick<Terminal, 'env'>,
  isRepeatable: (operation: string) => boolean = isRead,
): Promise<AccountAccess> {
  const account = await loadAccount(env);
  const createCall = (of: AwsAccount): OperatorCall =>
    createOperatorCall(of, { unreachable: AWS_UNREACHABLE, isRepeatable });
  const renew = async (): Promise<OperatorCall> => createCall(await loadAccount(env));
  return { account, call: createRenewingCall(createCall(account), renew, Date.now) };
}

async function loadAccount(env: Terminal['env']): Promise<AwsAccount> {
  const account = await loadAwsAccount(env);
  if (account === undefined)
    throw new OperatorError(
      'There are no AWS credentials. Run "aws configure" or "aws sso login", or set AWS_PROFILE.',
    );
  if ('result' in account)
    throw new OperatorError(`${account.name} ${account.finding} ${account.fix ?? ''}`.trim());
  return account;
}

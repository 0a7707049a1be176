import { RemovalPolicy } from 'aws-cdk-lib';
import type { Stack } from 'aws-cdk-lib';
import { Key } from 'aws-cdk-lib/aws-kms';
import { ENV, INSTALL_ENCRYPTION_CONTEXT } from '../../shared/runtime/shared-names.ts';
import type { Use } from './lambda-function.ts';

/**
 * The key that seals the tokens and keys which workspaces bring along. It costs a dollar a month, and is made in any
 * case: a deployment may be installed in a second workspace at any time. In `prod` it outlives the stack, as the tables
 * do, since without it what it sealed is lost.
 */
export class EncryptionKey {
  private readonly key: Key;

  constructor(stack: Stack, stage: string) {
    this.key = new Key(stack, 'Seal', {
      description: 'Encrypts the tokens and API keys of workspaces',
      enableKeyRotation: true,
      removalPolicy: stage === 'prod' ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
  }

  /** The right to seal, to open what was sealed, or both. */
  use(...actions: ('Encrypt' | 'Decrypt')[]): Use {
    return this.right(actions);
  }

  /** The same of the tokens of installs alone: no key that a workspace brought along. */
  useForInstalls(action: 'Encrypt' | 'Decrypt'): Use {
    return this.right([action], {
      StringLike: { 'kms:EncryptionContext:about': `${INSTALL_ENCRYPTION_CONTEXT}*` },
    });
  }

  private right(actions: readonly string[], conditions?: Record<string, Record<string, string>>): Use {
    const { keyArn, keyId } = this.key;
    const allow = { actions: actions.map((action) => `kms:${action}`), resources: [keyArn] };
    return { env: { [ENV.sealKeyId]: keyId }, allow: conditions ? { ...allow, conditions } : allow };
  }
}

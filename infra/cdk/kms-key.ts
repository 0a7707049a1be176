import { RemovalPolicy, type Stack } from 'aws-cdk-lib';
import { Key } from 'aws-cdk-lib/aws-kms';
import { ENV, INSTALL_ENCRYPTION_CONTEXT } from '../../shared/runtime/index.ts';
import type { Use } from './lambda-function.ts';

/**
 * The KMS key that encrypts the tokens and API keys of workspaces. It costs a dollar a month and is always created, because a
 * second workspace can install the app at any time. In `prod` it is retained like the tables, because without it the
 * encrypted values are lost.
 */
export class EncryptionKey {
  private readonly key: Key;

  constructor(stack: Stack, stage: string) {
    this.key = new Key(stack, 'Seal', {
      description: 'Encrypts the tokens and API keys of workspaces',
      enableKeyRotation: true,
      // Not if the first deployment fails: then it is unused, but would stay and cost.
      removalPolicy: stage === 'prod' ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
    });
  }

  /** Allows to encrypt, to decrypt, or both. */
  use(...actions: ('Encrypt' | 'Decrypt')[]): Use {
    return this.createUse(actions);
  }

  /** The same for installation tokens only, not for API keys of workspaces. */
  useForInstalls(action: 'Encrypt' | 'Decrypt'): Use {
    return this.createUse([action], {
      StringLike: { 'kms:EncryptionContext:about': `${INSTALL_ENCRYPTION_CONTEXT}*` },
    });
  }

  private createUse(actions: readonly string[], conditions?: Record<string, Record<string, string>>): Use {
    const { keyArn, keyId } = this.key;
    const allow = { actions: actions.map((action) => `kms:${action}`), resources: [keyArn] };
    return { env: { [ENV.sealKeyId]: keyId }, allow: conditions ? { ...allow, conditions } : allow };
  }
}

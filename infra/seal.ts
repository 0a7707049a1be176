import { RemovalPolicy } from 'aws-cdk-lib';
import type { Stack } from 'aws-cdk-lib';
import { Key } from 'aws-cdk-lib/aws-kms';
import { ENV } from '../shared/runtime/names.ts';
import type { Use } from './handler.ts';

/**
 * The key that seals the tokens and keys which workspaces bring along. It costs a dollar a month, and is made in any
 * case: a deployment may be installed in a second workspace at any time. In `prod` it outlives the stack, as the tables
 * do, since without it what it sealed is lost.
 */
export class Seal {
  private readonly key: Key;

  constructor(stack: Stack, stage: string) {
    this.key = new Key(stack, 'Seal', {
      description: 'Seals the tokens and keys of workspaces',
      enableKeyRotation: true,
      removalPolicy: stage === 'prod' ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
  }

  /** The right to seal, to open what was sealed, or both. */
  use(...actions: ('Encrypt' | 'Decrypt')[]): Use {
    return {
      env: { [ENV.sealKeyId]: this.key.keyArn },
      allow: { actions: actions.map((action) => `kms:${action}`), resources: [this.key.keyArn] },
    };
  }
}

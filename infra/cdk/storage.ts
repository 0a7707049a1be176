import { CfnOutput, RemovalPolicy, type Stack } from 'aws-cdk-lib';
import {
  AttributeType,
  Billing,
  ProjectionType,
  TableEncryptionV2,
  TableV2,
  type TablePropsV2,
} from 'aws-cdk-lib/aws-dynamodb';
import { ENV, KEYS, OPEN_INDEX, PERSON_INDEX } from '../../shared/runtime/index.ts';
import type { Use } from './lambda-function.ts';

type TableAction = 'GetItem' | 'PutItem' | 'UpdateItem' | 'DeleteItem' | 'Query' | 'Scan';

/** The two tables. In `prod` they have deletion protection and are retained. */
export class Storage {
  readonly conversations: TableV2;
  readonly tokens: TableV2;

  constructor(stack: Stack, stage: string) {
    const shared: Omit<TablePropsV2, 'partitionKey'> = {
      // Limits the cost of runaway requests: about ten times the need of 120 chat requests per minute.
      billing: Billing.onDemand({ maxReadRequestUnits: 500, maxWriteRequestUnits: 500 }),
      encryption: TableEncryptionV2.awsManagedKey(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      timeToLiveAttribute: KEYS.ttl,
      deletionProtection: stage === 'prod',
      // Also if the first deployment fails: the rollback could not delete what is protected.
      removalPolicy: stage === 'prod' ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    };
    this.conversations = new TableV2(stack, 'Conversations', {
      ...shared,
      partitionKey: stringAttribute(KEYS.partition),
      sortKey: stringAttribute(KEYS.sort),
      globalSecondaryIndexes: [
        {
          indexName: OPEN_INDEX.name,
          partitionKey: stringAttribute(OPEN_INDEX.partition),
          sortKey: { name: OPEN_INDEX.sort, type: AttributeType.NUMBER },
          projectionType: ProjectionType.KEYS_ONLY,
        },
        {
          indexName: PERSON_INDEX.name,
          partitionKey: stringAttribute(PERSON_INDEX.partition),
          sortKey: stringAttribute(PERSON_INDEX.sort),
          projectionType: ProjectionType.KEYS_ONLY,
        },
      ],
    });
    this.tokens = new TableV2(stack, 'Tokens', { ...shared, partitionKey: stringAttribute(KEYS.partition) });
    new CfnOutput(stack, 'ConversationsTable', { value: this.conversations.tableName });
    new CfnOutput(stack, 'TokensTable', { value: this.tokens.tableName });
  }

  /** Allows these actions on the items of `conversations`. */
  useConversations(...actions: TableAction[]): Use {
    return createTableUse(ENV.conversationsTable, this.conversations, actions);
  }

  /** Allows these actions on the items of `tokens`. */
  useTokens(...actions: TableAction[]): Use {
    return createTableUse(ENV.tokensTable, this.tokens, actions);
  }

  /** Allows to query these indexes of `conversations`. */
  useIndexes(...indexes: readonly { readonly name: string }[]): Use {
    const resources = indexes.map(({ name }) => `${this.conversations.tableArn}/index/${name}`);
    return { allow: { actions: ['dynamodb:Query'], resources } };
  }
}

const stringAttribute = (name: string) => ({ name, type: AttributeType.STRING });

function createTableUse(name: string, table: TableV2, actions: readonly TableAction[]): Use {
  return {
    env: { [name]: table.tableName },
    allow: { actions: actions.map((action) => `dynamodb:${action}`), resources: [table.tableArn] },
  };
}

import { CfnOutput, Duration, RemovalPolicy, Validations, type Stack } from 'aws-cdk-lib';
import { BlockPublicAccess, Bucket, BucketEncryption, CfnBucket } from 'aws-cdk-lib/aws-s3';
import { ENV } from '../../shared/runtime/index.ts';
import type { Use } from './lambda-function.ts';
import type { Parameters } from './parameters/parameters.ts';

/** The private bucket for input images and videos. Access is by presigned URL only; everything expires. */
export class Media {
  private readonly bucket: Bucket;
  private readonly id: string;

  constructor(stack: Stack, stage: string, parameters: Parameters) {
    this.bucket = new Bucket(stack, 'Media', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      // Not if the first deployment fails: then it is unused, but would stay.
      removalPolicy: stage === 'prod' ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
      lifecycleRules: [
        { abortIncompleteMultipartUploadAfter: Duration.days(1) },
        // An image is downloaded within minutes; the platform keeps the original.
        { prefix: 'inputs/', expiration: Duration.days(1) },
      ],
    });
    const { defaultChild } = this.bucket.node;
    if (!(defaultChild instanceof CfnBucket)) throw new Error('The media bucket has no CfnBucket.');
    this.id = stack.getLogicalId(defaultChild);
    // A template parameter, which the construct's Duration does not support.
    defaultChild.addPropertyOverride('LifecycleConfiguration.Rules.2', {
      Prefix: 'results/',
      Status: 'Enabled',
      ExpirationInDays: parameters.value('MediaDays'),
    });
    new CfnOutput(stack, 'MediaBucket', { value: this.bucket.bucketName });
    Validations.of(this.bucket).acknowledge({
      id: 'AwsSolutions-S1',
      reason:
        'Only the worker has rights on it, and each use of one is in the log of the worker. A log of accesses would be ' +
        'a second bucket, and would hold the presigned addresses that must not be kept.',
    });
  }

  /**
   * Allows these actions on the files, and listing: without list permission S3 returns 403 instead of 404 for a missing file
   * (S3 API reference, GetObject), like for a missing permission. Listing is not restricted, because the bucket has only
   * these folders.
   */
  use(...actions: ('GetObject' | 'PutObject' | 'DeleteObject')[]): Use[] {
    const folders = ['inputs', 'results'];
    const files: Use = {
      env: { [ENV.mediaBucket]: this.bucket.bucketName },
      allow: {
        actions: actions.map((action) => `s3:${action}`),
        resources: folders.map((folder) => `${this.bucket.bucketArn}/${folder}/*`),
      },
      acknowledgements: folders.map((folder) => ({
        id: `AwsSolutions-IAM5[Resource::<${this.id}.Arn>/${folder}/*]`,
        reason:
          'A file is named after its job, which nobody knows before: the right is to one folder of one bucket.',
      })),
    };
    return [files, { allow: { actions: ['s3:ListBucket'], resources: [this.bucket.bucketArn] } }];
  }
}

/** Arguments and outputs of every command, by its name. Written by `npm run generate`. */

/** A Boolean, or its text form. */
type Flag = boolean | 'true' | 'false' | 'yes' | 'no';
/** A number, or its text form. */
type Count = number | `${number}`;
/** Any other text as well; the named ones are offered. */
type Text = string & {};

export interface AisecCommands {
  /** List the runtime API keys. */
  'aisec-runtime-api-keys-list': {
    args: {
      /** Maximum number of records to return. */
      limit?: Count | undefined;
      /** Number of records to skip before the first one. */
      offset?: Count | undefined;
    };
    outputs: {
      'AiSec.ApiKey': ({
        /** Identifier of the key. */
        id: string | null;
        /** Name of the key. */
        name: string | null;
        /** Last eight characters of the key. */
        last8: string | null;
        /** When the key was created. */
        created_at: string | null;
        /** When the key expires. */
        expires_at: string | null;
        /** Whether the key is revoked. */
        revoked: boolean | null;
      })[];
    };
  };
  /** Create a runtime API key. */
  'aisec-runtime-api-keys-create': {
    args: {
      /** Name of the API key. */
      api_key_name: string;
      /** Authorization code of a deployment profile. */
      auth_code: string;
      /** Name of the application that will use the key. */
      cust_app: string;
      /** Validity of the key, in rotation_time_unit. */
      rotation_time_interval: Count;
      /** Unit of the rotation interval. */
      rotation_time_unit: 'hours' | 'days' | 'months';
      /** Email address of the person who creates the key. */
      created_by: string;
      /** Name of the deployment profile. */
      dp_name?: string | undefined;
      /** Environment of the application. */
      cust_env: 'production' | 'staging' | Text;
      /** Cloud provider of the application. */
      cust_cloud_provider: 'cloud_a' | 'cloud_b' | 'cloud_c' | 'other' | Text;
      /** Agent framework of the application. */
      cust_ai_agent_framework?: string | undefined;
    };
    outputs: {
      'AiSec.ApiKeyCreate': {
        /** Identifier of the key. */
        id: string | null;
        /** Name of the key. */
        name: string | null;
        /** The key itself; the service returns it only once. */
        api_key: string;
        /** Last eight characters of the key. */
        last8: string | null;
        /** Authorization code of the deployment profile. */
        auth_code: string | null;
        /** When the key expires. */
        expires_at: string | null;
        /** Whether the key is revoked. */
        revoked: boolean | null;
        /** Customer application that uses the key. */
        cust_app: string | null;
        /** When the key was created. */
        created_at: string | null;
        /** Email address of the person who created the key. */
        created_by: string | null;
      };
    };
  };
  /** Replace a runtime API key: the old key stops working at once. */
  'aisec-runtime-api-keys-regenerate': {
    args: {
      /** Identifier of the API key. */
      api_key_id: string;
      /** Validity of the key, in rotation_time_unit. */
      rotation_time_interval: Count;
      /** Unit of the rotation interval. */
      rotation_time_unit: 'hours' | 'days' | 'months';
      /** Email address of the person who regenerates the key. */
      updated_by?: string | undefined;
    };
    outputs: {
      'AiSec.ApiKeyRegenerate': {
        /** Identifier of the key. */
        id: string | null;
        /** Name of the key. */
        name: string | null;
        /** The key itself; the service returns it only once. */
        api_key: string;
        /** Last eight characters of the key. */
        last8: string | null;
        /** Authorization code of the deployment profile. */
        auth_code: string | null;
        /** When the key expires. */
        expires_at: string | null;
        /** Whether the key is revoked. */
        revoked: boolean | null;
        /** Customer application that uses the key. */
        cust_app: string | null;
        /** When the key was regenerated. */
        updated_at: string | null;
        /** Email address of the person who regenerated the key. */
        updated_by: string | null;
      };
    };
  };
  /** Delete a runtime API key: every application that uses it loses access at once. */
  'aisec-runtime-api-keys-delete': {
    args: {
      /** Name of the API key. */
      api_key_name: string;
      /** Email address of the person who deletes the key. */
      updated_by: string;
    };
    outputs: {
      'AiSec.ApiKeyDeleted': {
        /** Name of the key. */
        api_key_name: string | null;
        /** Email address of the person who deleted the key. */
        deleted_by: string | null;
        /** Message of the service. */
        message: string | null;
        /** Whether the service confirmed the deletion. */
        deleted: boolean | null;
      };
    };
  };
  /** Scan many prompts against a security profile. */
  'aisec-runtime-bulk-scan': {
    args: {
      /** Name of the security profile to apply. */
      profile_name: string;
      /** CSV text with a column named prompt, or one prompt per line. */
      prompts_csv?: string | undefined;
      /** Session id of the caller; it groups the scans. */
      session_id?: string | undefined;
      /** File of prompts of any size: CSV, JSON Lines or one prompt per line. It replaces prompts_csv; without it, prompts_csv=file is refused. */
      entry_id?: string | undefined;
      /** Name of the column, or of the JSON member, that has the prompts. */
      prompt_column?: string | undefined;
      /** Form of the prompts: csv, jsonl (a JSON object per line) or lines; by default as the file name or the text says. */
      input_format?: 'csv' | 'jsonl' | 'lines' | undefined;
      /** Separator of the columns of a CSV; found by itself where it is certain. */
      delimiter?: 'comma' | 'semicolon' | 'tab' | undefined;
      /** Other columns that each row of the results gets, under columns. */
      keep_columns?: readonly (string)[] | string | undefined;
      /** Columns that are scanned together with the prompt of their row, and kept; a prompt may then be empty. Cells of tool_event are JSON. Rows get scanned, response_detected and tool_detected. */
      scan_columns?: readonly ('response' | 'code_prompt' | 'code_response' | 'context' | 'tool_event')[] | string | undefined;
      /** Name of the JSONL file that has every row; with a name it is written for any number of rows. */
      output_file?: string | undefined;
      /** Maximum number of prompts in one request. */
      batch_size?: Count | undefined;
      /** Maximum number of concurrent requests. */
      concurrency?: Count | undefined;
      /** Maximum number of requests per second; unlimited by default. */
      requests_per_second?: Count | undefined;
      /** Resume a stopped run of the same prompts, profile and session. */
      resume?: Flag | undefined;
    } & ({ prompts_csv: string } | { entry_id: string });
    outputs: {
      'AiSec.BulkScan': {
        /** Name of the security profile that decided. */
        profile_name: string | null;
        /** Session id of the request; it groups the scans. */
        session_id: string | null;
        /** Number of prompts; it is the sum of the three counts that follow. */
        total: number;
        /** Number of prompts with the action block. */
        blocked: number;
        /** Number of prompts with the action allow. */
        allowed: number;
        /** Number of prompts without a verdict, or with another action than allow and block. */
        errors: number;
        /** Results of the individual scans, in the order of the prompts. */
        results: ({
          /** Number of the prompt in the input, counted from 1. */
          row?: number | null;
          /** Verdict of the scan: allow or block. */
          action?: string | null;
          /** Category of the verdict, such as benign or malicious. */
          category?: string | null;
          /** Whether any detector found a threat in the prompt, in the response or in the call of a tool. */
          detected?: boolean | null;
          /** Detectors that ran on the prompt, each with its result. */
          prompt_detected?: {
            /** Whether a prompt injection was found. */
            injection?: boolean | null;
            /** Whether sensitive data was found. */
            dlp?: boolean | null;
            /** Whether toxic content was found. */
            toxic_content?: boolean | null;
            /** Whether a custom topic was violated. */
            topic_violation?: boolean | null;
            /** Whether an address of a blocked category was found. */
            url_cats?: boolean | null;
            /** Whether malicious code was found. */
            malicious_code?: boolean | null;
            /** Whether a threat to an agent was found. */
            agent?: boolean | null;
            [member: string]: unknown;
          } | null;
          /** Whether a detector timed out. */
          timeout?: boolean | null;
          /** Whether a detector failed; why, where there is no verdict. */
          error?: boolean | null;
          /** Detectors that failed or timed out. */
          errors?: unknown;
          /** What the whole answer says: allow, of a complete scan only, block or none. */
          decision?: "allow" | "block" | "none" | null;
          /** Why there is no decision: timeout, error, action, category or missing. */
          decision_cause?: "timeout" | "error" | "action" | "category" | "missing" | null;
          /** How the scan ended: complete, failed, timed_out, missing, unknown or error. */
          status?: "complete" | "failed" | "timed_out" | "missing" | "unknown" | "error" | null;
          /** Identifier of the scan. */
          scan_id?: string | null;
          /** Identifier of the scan report. */
          report_id?: string | null;
          /** Session id of the request; without it, the id that the service generated. */
          session_id?: string | null;
          /** Identifier of the security profile that decided. */
          profile_id?: string | null;
          /** The prompt that was scanned. */
          prompt?: string | null;
          [member: string]: unknown;
        })[] | null;
        /** Name of the file with every result, written where results or a table lack some. */
        file?: string;
        /** What the results say together: block if one is blocked, allow if all are, otherwise none. */
        decision?: "allow" | "block" | "none";
        /** Why there is no decision: the cause of the first undecided result. */
        decision_cause?: "timeout" | "error" | "action" | "category" | "missing";
      };
    };
  };
  /** List the customer applications. */
  'aisec-runtime-customer-apps-list': {
    args: {
      /** Maximum number of records to return. */
      limit?: Count | undefined;
      /** Number of records to skip before the first one. */
      offset?: Count | undefined;
    };
    outputs: {
      'AiSec.CustomerApp': ({
        /** Identifier of the application. */
        id: string | null;
        /** Name of the application. */
        name: string | null;
        /** AI model that the application uses. */
        model_name: string | null;
        /** Cloud provider: cloud_a, cloud_b, cloud_c or other. */
        cloud_provider: string | null;
        /** Environment: prod, staging or dev. */
        environment: string | null;
        /** Agent framework of the application. */
        ai_agent_framework: string | null;
        /** Tenant services group of the application. */
        tsg_id: string | null;
      })[];
    };
  };
  /** Get a customer application by name. */
  'aisec-runtime-customer-apps-get': {
    args: {
      /** Name of the application. */
      app_name: string;
    };
    outputs: {
      'AiSec.CustomerAppGet': {
        /** Identifier of the application. */
        id: string | null;
        /** Name of the application. */
        name: string | null;
        /** AI model that the application uses. */
        model_name: string | null;
        /** Cloud provider: cloud_a, cloud_b, cloud_c or other. */
        cloud_provider: string | null;
        /** Environment: prod, staging or dev. */
        environment: string | null;
        /** Agent framework of the application. */
        ai_agent_framework: string | null;
        /** Tenant services group of the application. */
        tsg_id: string | null;
        /** Status of the application. */
        status: string | null;
        /** Who created the application. */
        created_by: string | null;
        /** Who updated the application last. */
        updated_by: string | null;
      };
    };
  };
  /** Update a customer application; omitted fields keep their values. */
  'aisec-runtime-customer-apps-update': {
    args: {
      /** Identifier of the application. */
      customer_app_id: string;
      /** Name of the application. */
      app_name: string;
      /** Cloud provider of the application. */
      cloud_provider: 'cloud_a' | 'cloud_b' | 'cloud_c' | 'other';
      /** Environment of the application. */
      environment: 'prod' | 'staging' | 'dev';
      /** Tenant services group, a string of digits; by default the configured one. */
      tsg_id?: string | undefined;
      /** AI model that the application uses. */
      model_name?: string | undefined;
      /** Agent framework of the application. */
      ai_agent_framework?: string | undefined;
      /** Email address of the person who updates the application. */
      updated_by?: string | undefined;
    };
    outputs: {
      'AiSec.CustomerAppUpdate': {
        /** Identifier of the application. */
        id: string | null;
        /** Name of the application. */
        name: string | null;
        /** AI model that the application uses. */
        model_name: string | null;
        /** Cloud provider: cloud_a, cloud_b, cloud_c or other. */
        cloud_provider: string | null;
        /** Environment: prod, staging or dev. */
        environment: string | null;
        /** Agent framework of the application. */
        ai_agent_framework: string | null;
        /** Tenant services group of the application. */
        tsg_id: string | null;
        /** Status of the application. */
        status: string | null;
        /** Who created the application. */
        created_by: string | null;
        /** Who updated the application last. */
        updated_by: string | null;
      };
    };
  };
  /** Show tokens, sessions and violations of an application over 7, 30 or 60 days. */
  'aisec-runtime-customer-apps-consumption': {
    args: {
      /** Identifier of the application. */
      app_id: string;
      /** Name of the application, exactly as in the metadata of its scans. */
      app_name: string;
      /** Length of the window, in days. */
      time_interval?: 7 | 30 | 60 | '7' | '30' | '60' | undefined;
      /** Unit of the window. */
      time_unit?: 'days' | undefined;
    };
    outputs: {
      'AiSec.CustomerAppConsumption': {
        /** Identifier of the application. */
        id: string | null;
        /** Name of the application, as in the metadata of its scans. */
        name: string | null;
        /** Cloud provider of the application. */
        cloud: string | null;
        /** How the application reaches the service, such as api or sdk. */
        source: string | null;
        /** When the application was first seen. */
        created_at: string | null;
        /** When the application was last changed. */
        updated_at: string | null;
        /** Security profiles that the application uses. */
        profiles: unknown;
        /** Average number of tokens a day, in the unit of its scale. */
        average_daily_tokens: number | null;
        /** Scale of the average, such as K or M. */
        average_daily_tokens_scale: string | null;
        /** Number of tokens a month, in the unit of its scale. */
        monthly_total_tokens: number | null;
        /** Scale of the monthly total, such as K or M. */
        monthly_total_tokens_scale: string | null;
        /** Number of sessions. */
        sessions_total: number | null;
        /** Number of sessions with violations. */
        sessions_violating: number | null;
        /** Identifier of the most recent session. */
        last_session_id: string | null;
        /** When the most recent session took place. */
        most_recent_session_time: string | null;
        /** Number of critical violations. */
        violations_critical: number | null;
        /** Number of violations of high severity. */
        violations_high: number | null;
        /** Number of violations of medium severity. */
        violations_medium: number | null;
        /** Number of violations of low severity. */
        violations_low: number | null;
        /** Number of violations. */
        violations_total: number | null;
      };
    };
  };
  /** Show violations of an application by detector over 7, 30 or 60 days. */
  'aisec-runtime-customer-apps-violations': {
    args: {
      /** Identifier of the application. */
      app_id: string;
      /** Name of the application, exactly as in the metadata of its scans. */
      app_name: string;
      /** Length of the window, in days. */
      time_interval?: 7 | 30 | 60 | '7' | '30' | '60' | undefined;
      /** Unit of the window. */
      time_unit?: 'days' | undefined;
    };
    outputs: {
      'AiSec.CustomerAppViolations': {
        /** Identifier of the application. */
        app_id: string | null;
        /** Name of the application, as in the metadata of its scans. */
        app_name: string | null;
        /** Number of sessions with violations. */
        total_violating: number | null;
        /** Length of the window, in days. */
        time_interval: number | null;
        /** Unit of the window. */
        time_unit: string | null;
        /** Violations by detector and severity, the most frequent first. */
        detectors: ({
          /** What was detected. */
          detection_type: string | null;
          /** Critical violations. */
          critical: number | null;
          /** Violations of high severity. */
          high: number | null;
          /** Violations of medium severity. */
          medium: number | null;
          /** Violations of low severity. */
          low: number | null;
          /** Total number of violations. */
          total: number | null;
        })[] | null;
      };
    };
  };
  /** Delete a customer application; all of its API keys are revoked. */
  'aisec-runtime-customer-apps-delete': {
    args: {
      /** Name of the application. */
      app_name: string;
      /** Email address of the person who deletes the application. */
      updated_by: string;
    };
    outputs: {
      'AiSec.CustomerAppDeleted': {
        /** Name of the application. */
        app_name: string | null;
        /** Email address of the person who deleted the application. */
        deleted_by: string | null;
        /** Message of the service. */
        message: string | null;
        /** Whether the service confirmed the deletion. */
        deleted: boolean | null;
      };
    };
  };
  /** List the deployment profiles. */
  'aisec-runtime-deployment-profiles-list': {
    args: {
      /** Maximum number of records to return. */
      limit?: Count | undefined;
      /** Number of records to skip before the first one. */
      offset?: Count | undefined;
      /** List only deployment profiles that are not activated. */
      unactivated?: Flag | undefined;
    };
    outputs: {
      'AiSec.DeploymentProfile': ({
        /** Name of the deployment profile. */
        name: string | null;
        /** Authorization code that creates API keys. */
        auth_code: string | null;
        /** Tenant services group of the deployment profile. */
        tsg_id: string | null;
        /** Status, such as activated. */
        status: string | null;
        /** When the deployment profile expires, as the service writes it. */
        expiration_date: string | number | null;
        /** Average number of text records; null if the service does not count them. */
        ave_text_records: number | null;
      })[];
    };
  };
  /** List one page of the DLP dictionaries. */
  'aisec-runtime-dlp-dictionaries-list': {
    args: {
      /** Page number, counted from 0. */
      page?: Count | undefined;
      /** Number of records on a page. */
      size?: Count | undefined;
      /** Also return the keywords: the raw response has them, the context only their number. */
      include_keywords?: Flag | undefined;
      /** Maximum number of records to return. */
      limit?: Count | undefined;
      /** Number of records to skip before the first one. */
      offset?: Count | undefined;
    };
    outputs: {
      'AiSec.DlpDictionary': ({
        /** Identifier of the dictionary. */
        id: string | null;
        /** Name of the dictionary. */
        name: string | null;
        /** What the dictionary is for. */
        description: string | null;
        /** Category, such as Financial. */
        category: string | null;
        /** Region, such as United States. */
        region_name: string | null;
        /** Type: predefined or custom. */
        type: string | null;
        /** Whether upper and lower case matter. */
        is_case_sensitive: boolean | null;
        /** Number of keywords. */
        number_of_keywords: number | null;
        /** Detection technique. */
        detection_technique: string | null;
        /** Whether a parent tenant manages it. */
        is_parent_managed: boolean | null;
        /** When it was created, in milliseconds since the epoch. */
        created_at: number | null;
        /** When it was last changed, in milliseconds since the epoch. */
        updated_at: number | null;
        /** Who created it. */
        created_by: string | null;
        /** Who changed it last. */
        updated_by: string | null;
      })[];
    };
  };
  /** Get a DLP dictionary. */
  'aisec-runtime-dlp-dictionaries-get': {
    args: {
      /** Identifier of the dictionary. */
      dictionary_id: string;
      /** Also return the keywords. */
      include_keywords?: Flag | undefined;
    };
    outputs: {
      'AiSec.DlpDictionaryGet': {
        /** Identifier of the dictionary. */
        id: string | null;
        /** Name of the dictionary. */
        name: string | null;
        /** What the dictionary is for. */
        description: string | null;
        /** Category, such as Financial. */
        category: string | null;
        /** Region, such as United States. */
        region_name: string | null;
        /** Type: predefined or custom. */
        type: string | null;
        /** Whether upper and lower case matter. */
        is_case_sensitive: boolean | null;
        /** Whether a parent tenant manages it. */
        is_parent_managed: boolean | null;
        /** Detection technique. */
        detection_technique: string | null;
        /** Detection technique in detail. */
        detection_sub_technique: string | null;
        /** Number of keywords, size in bytes and name of the keyword file. */
        dictionary_metadata: unknown;
        /** Tags of the dictionary. */
        tags: {
          /** Tags of classification. */
          classification?: unknown;
          [member: string]: unknown;
        } | null;
        /** Keywords; only on request. */
        keywords: unknown;
        /** When it was created, in milliseconds since the epoch. */
        created_at: number | null;
        /** When it was last changed, in milliseconds since the epoch. */
        updated_at: number | null;
        /** Who created it. */
        created_by: string | null;
        /** Who changed it last. */
        updated_by: string | null;
      };
    };
  };
  /** Create a DLP dictionary from a keyword file. */
  'aisec-runtime-dlp-dictionaries-create': {
    args: {
      /** Name of the dictionary. */
      name: string;
      /** Category of the dictionary. */
      category: 'Academic' | 'Confidential' | 'Employment' | 'Financial' | 'Government' | 'Healthcare' | 'Legal' | 'Marketing' | 'Source Code';
      /** Region of the dictionary. */
      region_name?: 'Australia' | 'Brazil' | 'Canada' | 'France' | 'Germany' | 'India' | 'Japan' | 'Saudi Arabia' | 'Singapore' | 'Switzerland' | 'United Kingdom' | 'United States' | undefined;
      /** Keyword file: text with one keyword per line. */
      entry_id: string;
      /** Description of the dictionary. */
      description?: string | undefined;
      /** Case sensitivity of the keywords: true if case matters. */
      is_case_sensitive?: Flag | undefined;
      /** Type of the dictionary. */
      type?: 'predefined' | 'custom' | undefined;
      /** Also return the keywords. */
      include_keywords?: Flag | undefined;
    };
    outputs: {
      'AiSec.DlpDictionaryCreate': {
        /** Identifier of the dictionary. */
        id: string | null;
        /** Name of the dictionary. */
        name: string | null;
        /** What the dictionary is for. */
        description: string | null;
        /** Category, such as Financial. */
        category: string | null;
        /** Region, such as United States. */
        region_name: string | null;
        /** Type: predefined or custom. */
        type: string | null;
        /** Whether upper and lower case matter. */
        is_case_sensitive: boolean | null;
        /** Detection technique. */
        detection_technique: string | null;
        /** Number of keywords, size in bytes and name of the keyword file. */
        dictionary_metadata: unknown;
        /** Keywords; only on request. */
        keywords: unknown;
        /** When it was created, in milliseconds since the epoch. */
        created_at: number | null;
        /** Who created it. */
        created_by: string | null;
      };
    };
  };
  /** Patch a DLP dictionary by a JSON merge patch; omitted fields and the keywords keep their values. */
  'aisec-runtime-dlp-dictionaries-patch': {
    args: {
      /** Identifier of the dictionary. */
      dictionary_id: string;
      /** Name of the dictionary. */
      name: string;
      /** Category of the dictionary. */
      category: 'Academic' | 'Confidential' | 'Employment' | 'Financial' | 'Government' | 'Healthcare' | 'Legal' | 'Marketing' | 'Source Code';
      /** Name of the uploaded keyword file. */
      original_file_name: string;
      /** Description of the dictionary. */
      description?: string | null | undefined;
      /** Case sensitivity of the keywords: true if case matters. */
      is_case_sensitive?: Flag | null | undefined;
      /** Region of the dictionary. */
      region_name?: 'Australia' | 'Brazil' | 'Canada' | 'France' | 'Germany' | 'India' | 'Japan' | 'Saudi Arabia' | 'Singapore' | 'Switzerland' | 'United Kingdom' | 'United States' | null | undefined;
    };
    outputs: {
      'AiSec.DlpDictionaryPatch': {
        /** Identifier of the dictionary. */
        id: string | null;
        /** Name of the dictionary. */
        name: string | null;
        /** What the dictionary is for. */
        description: string | null;
        /** Category, such as Financial. */
        category: string | null;
        /** Region, such as United States. */
        region_name: string | null;
        /** Type: predefined or custom. */
        type: string | null;
        /** Whether upper and lower case matter. */
        is_case_sensitive: boolean | null;
        /** When it was last changed, in milliseconds since the epoch. */
        updated_at: number | null;
        /** Who changed it last. */
        updated_by: string | null;
      };
    };
  };
  /** Replace a DLP dictionary and its keywords, from a keyword file; omitted fields are lost. */
  'aisec-runtime-dlp-dictionaries-replace': {
    args: {
      /** Identifier of the dictionary. */
      dictionary_id: string;
      /** Name of the dictionary. */
      name: string;
      /** Category of the dictionary. */
      category: 'Academic' | 'Confidential' | 'Employment' | 'Financial' | 'Government' | 'Healthcare' | 'Legal' | 'Marketing' | 'Source Code';
      /** Region of the dictionary. */
      region_name: 'Australia' | 'Brazil' | 'Canada' | 'France' | 'Germany' | 'India' | 'Japan' | 'Saudi Arabia' | 'Singapore' | 'Switzerland' | 'United Kingdom' | 'United States';
      /** Keyword file: text with one keyword per line. */
      entry_id: string;
      /** Description of the dictionary. */
      description?: string | undefined;
      /** Case sensitivity of the keywords: true if case matters. */
      is_case_sensitive?: Flag | undefined;
      /** Type of the dictionary. */
      type?: 'predefined' | 'custom' | undefined;
      /** Also return the keywords. */
      include_keywords?: Flag | undefined;
    };
    outputs: {
      'AiSec.DlpDictionaryReplace': {
        /** Identifier of the dictionary. */
        id: string | null;
        /** Name of the dictionary. */
        name: string | null;
        /** What the dictionary is for. */
        description: string | null;
        /** Category, such as Financial. */
        category: string | null;
        /** Region, such as United States. */
        region_name: string | null;
        /** Type: predefined or custom. */
        type: string | null;
        /** Whether upper and lower case matter. */
        is_case_sensitive: boolean | null;
        /** When it was last changed, in milliseconds since the epoch. */
        updated_at: number | null;
        /** Who changed it last. */
        updated_by: string | null;
        /** Keywords; only on request. */
        keywords: unknown;
      };
    };
  };
  /** Delete a DLP dictionary. */
  'aisec-runtime-dlp-dictionaries-delete': {
    args: {
      /** Identifier of the dictionary. */
      dictionary_id: string;
    };
    outputs: {
      'AiSec.DlpDictionaryDelete': {
        /** Identifier of the dictionary. */
        id: string | null;
        /** Whether the service confirmed the deletion. */
        deleted: boolean | null;
        /** Result of the deletion. */
        status: string | null;
      };
    };
  };
  /** List one page of the DLP filtering profiles. */
  'aisec-runtime-dlp-filtering-profiles-list': {
    args: {
      /** Page number, counted from 0. */
      page?: Count | undefined;
      /** Number of records on a page. */
      size?: Count | undefined;
      /** Maximum number of records to return. */
      limit?: Count | undefined;
      /** Number of records to skip before the first one. */
      offset?: Count | undefined;
    };
    outputs: {
      'AiSec.DlpFilteringProfile': ({
        /** Identifier of the filtering profile. */
        id: string | null;
        /** Name of the filtering profile. */
        name: string | null;
        /** What the filtering profile is for. */
        description: string | null;
        /** Type of the filtering profile. */
        type: string | null;
        /** Default action, if the service reports it. */
        default_action: string | null;
        /** Whether a parent tenant manages it. */
        is_parent_managed: boolean | null;
        /** When it was created, in milliseconds since the epoch. */
        created_at: number | null;
        /** When it was last changed, in milliseconds since the epoch. */
        updated_at: number | null;
        /** Who created it. */
        created_by: string | null;
        /** Who changed it last. */
        updated_by: string | null;
      })[];
    };
  };
  /** Get a DLP filtering profile. */
  'aisec-runtime-dlp-filtering-profiles-get': {
    args: {
      /** Identifier of the filtering profile. */
      profile_id: string;
    };
    outputs: {
      'AiSec.DlpFilteringProfileGet': {
        /** Identifier of the filtering profile. */
        id: string | null;
        /** Name of the filtering profile. */
        name: string | null;
        /** What the filtering profile is for. */
        description: string | null;
        /** Type of the filtering profile. */
        type: string | null;
        /** Identifier of the data profile that it applies. */
        data_profile_id: number | null;
        /** Direction of the traffic: BOTH, UPLOAD or DOWNLOAD. */
        direction: string | null;
        /** Whether files are inspected. */
        file_based: boolean | null;
        /** Whether traffic other than files is inspected. */
        non_file_based: boolean | null;
        /** Severity of its log entries. */
        log_severity: string | null;
        /** Whether the file types are the ones to include or to exclude. */
        scan_type: string | null;
        /** Whether end users are notified of findings. */
        is_end_user_coaching_enabled: boolean | null;
        /** Whether the filtering profile is granular. */
        is_granular_profile: boolean | null;
        /** Whether a parent tenant manages it. */
        is_parent_managed: boolean | null;
        /** Version of the filtering profile. */
        version: number | null;
        /** Tenant of the filtering profile. */
        tenant_id: string | null;
        /** When it was created, in milliseconds since the epoch. */
        created_at: number | null;
        /** When it was last changed, in milliseconds since the epoch. */
        updated_at: number | null;
        /** Who created it. */
        created_by: string | null;
        /** Who changed it last. */
        updated_by: string | null;
        /** Identifier of the template that end users see. */
        euc_template_id: string | null;
        /** File types to include or exclude. */
        file_type: unknown;
      };
    };
  };
  /** Replace a DLP filtering profile. Omitted fields are dropped and shown; rules, exceptions, exclusions and granular criteria, which have no argument, are read first and kept. */
  'aisec-runtime-dlp-filtering-profiles-replace': {
    args: {
      /** Identifier of the filtering profile. */
      profile_id: string;
      /** Inspect files. */
      file_based: Flag;
      /** Inspect traffic other than files. */
      non_file_based: Flag;
      /** Description of the filtering profile. */
      description?: string | undefined;
      /** Direction of the traffic. */
      direction?: 'BOTH' | 'UPLOAD' | 'DOWNLOAD' | undefined;
      /** Severity of the log entries. */
      log_severity?: 'CRITICAL' | 'HIGH' | 'MEDIUM' | 'LOW' | 'INFORMATIONAL' | undefined;
      /** Meaning of file_type: the types to include, or the types to exclude. */
      scan_type?: 'include' | 'exclude' | undefined;
      /** Identifier of the data profile to apply. */
      data_profile_id?: Count | undefined;
      /** Identifier of the template that end users see. */
      euc_template_id?: string | undefined;
      /** Show end users what was found. */
      is_end_user_coaching_enabled?: Flag | undefined;
      /** Make the filtering profile granular. */
      is_granular_profile?: Flag | undefined;
      /** File types to include or exclude. */
      file_type?: readonly (string)[] | string | undefined;
    };
    outputs: {
      'AiSec.DlpFilteringProfileReplace': {
        /** Identifier of the filtering profile. */
        id: string | null;
        /** Name of the filtering profile. */
        name: string | null;
        /** What the filtering profile is for. */
        description: string | null;
        /** Type of the filtering profile. */
        type: string | null;
        /** Identifier of the data profile that it applies. */
        data_profile_id: number | null;
        /** Direction of the traffic: BOTH, UPLOAD or DOWNLOAD. */
        direction: string | null;
        /** Whether files are inspected. */
        file_based: boolean | null;
        /** Whether traffic other than files is inspected. */
        non_file_based: boolean | null;
        /** Severity of its log entries. */
        log_severity: string | null;
        /** Whether the file types are the ones to include or to exclude. */
        scan_type: string | null;
        /** Whether end users are notified of findings. */
        is_end_user_coaching_enabled: boolean | null;
        /** Whether the filtering profile is granular. */
        is_granular_profile: boolean | null;
        /** Whether a parent tenant manages it. */
        is_parent_managed: boolean | null;
        /** Version of the filtering profile. */
        version: number | null;
        /** Tenant of the filtering profile. */
        tenant_id: string | null;
        /** When it was created, in milliseconds since the epoch. */
        created_at: number | null;
        /** When it was last changed, in milliseconds since the epoch. */
        updated_at: number | null;
        /** Who created it. */
        created_by: string | null;
        /** Who changed it last. */
        updated_by: string | null;
      };
    };
  };
  /** List one page of the DLP data patterns. */
  'aisec-runtime-dlp-patterns-list': {
    args: {
      /** Page number, counted from 0. */
      page?: Count | undefined;
      /** Number of records on a page. */
      size?: Count | undefined;
      /** Maximum number of records to return. */
      limit?: Count | undefined;
      /** Number of records to skip before the first one. */
      offset?: Count | undefined;
    };
    outputs: {
      'AiSec.DlpPattern': ({
        /** Identifier of the data pattern. */
        id: string | null;
        /** Name of the data pattern; an archived one ends in _archived_ and a time. */
        name: string | null;
        /** What the data pattern finds. */
        description: string | null;
        /** Type: predefined or custom. */
        type: string | null;
        /** Category, if there is one. */
        category: string | null;
        /** Region, if there is one. */
        region_name: string | null;
        /** Detection technique. */
        detection_technique: string | null;
        /** Detection technique in detail, if there is one. */
        detection_sub_technique: string | null;
        /** Status of the data pattern. */
        pattern_status: string | null;
        /** Whether a parent tenant manages it. */
        is_parent_managed: boolean | null;
        /** When it was created, in milliseconds since the epoch. */
        created_at: number | null;
        /** When it was last changed, in milliseconds since the epoch. */
        updated_at: number | null;
        /** Who created it. */
        created_by: string | null;
        /** Who changed it last. */
        updated_by: string | null;
      })[];
    };
  };
  /** Get a DLP data pattern. */
  'aisec-runtime-dlp-patterns-get': {
    args: {
      /** Identifier of the data pattern. */
      pattern_id: string;
    };
    outputs: {
      'AiSec.DlpPatternGet': {
        /** Identifier of the data pattern. */
        id: string | null;
        /** Name of the data pattern; an archived one ends in _archived_ and a time. */
        name: string | null;
        /** What the data pattern finds. */
        description: string | null;
        /** Type: predefined, custom or file_property. */
        type: string | null;
        /** Status: active, disabled, deleted, deprecated or silent. */
        status: string | null;
        /** Licence: standard, enterprise or essentials. */
        license_type: string | null;
        /** Version of the data pattern. */
        version: number | null;
        /** Detection technique and supported confidence levels. */
        detection_config: {
          /** Detection technique. */
          technique?: string | null;
          /** Confidence levels: low, medium, high. */
          supported_confidence_levels?: unknown;
          [member: string]: unknown;
        } | null;
        /** Proximity, delimiter, weighted regular expressions and criteria on metadata. */
        matching_rules: {
          /** Distance within which a proximity keyword counts, in characters. */
          proximity_distance?: number | null;
          /** Keywords that must be close to a match. */
          proximity_keywords?: unknown;
          /** Delimiter between the parts of a text. */
          delimiter?: string | null;
          /** Regular expressions, each with its weight. */
          regexes?: ({
            /** Regular expression. */
            regex?: string | null;
            /** Weight of a match. */
            weight?: number | null;
            [member: string]: unknown;
          })[] | null;
          /** Criteria on the metadata of a file. */
          metadata_criteria?: unknown;
          [member: string]: unknown;
        } | null;
        /** Tags: classification, compliance and geography. */
        tags: {
          /** Tags of classification. */
          classification?: unknown;
          /** Tags of compliance. */
          compliance?: unknown;
          /** Tags of geography. */
          geography?: unknown;
          [member: string]: unknown;
        } | null;
        /** Whether a parent tenant manages it. */
        is_parent_managed: boolean | null;
        /** Tenant of the data pattern. */
        tenant_id: string | null;
        /** When it was created, in milliseconds since the epoch. */
        created_at: number | null;
        /** When it was last changed, in milliseconds since the epoch. */
        updated_at: number | null;
        /** Who created it. */
        created_by: string | null;
        /** Who changed it last. */
        updated_by: string | null;
      };
    };
  };
  /** Create a DLP data pattern. */
  'aisec-runtime-dlp-patterns-create': {
    args: {
      /** Name of the data pattern, 1 to 64 characters. */
      name: string;
      /** Type of the data pattern. */
      type: 'custom' | 'predefined' | 'file_property' | Text;
      /** Detection technique of the data pattern. */
      detection_technique: 'edm' | 'document_fingerprint' | 'trainable_classifier' | 'ml_document' | 'regex' | 'weighted_regex' | 'ml' | 'titus_tag' | 'wildfire' | 'file_property' | 'dictionary' | 'pab' | 'document_classifier';
      /** Confidence levels that the data pattern supports. */
      supported_confidence_levels?: readonly ('low' | 'medium' | 'high')[] | string | undefined;
      /** Description of the data pattern. */
      description?: string | undefined;
      /** Matching rules: a JSON object with proximity_distance (2 to 1000), proximity_keywords, delimiter, regexes ({regex, weight}) and metadata_criteria. */
      matching_rules?: {
        proximity_distance?: number;
        proximity_keywords?: readonly (string)[];
        delimiter?: string;
        regexes?: readonly ({
          regex: string;
          weight?: number;
          [member: string]: unknown;
        })[];
        metadata_criteria?: readonly (object)[];
        [member: string]: unknown;
      } | string | undefined;
      /** Tags: a JSON object with the arrays classification, compliance and geography. */
      tags?: {
        classification?: readonly (string)[];
        compliance?: readonly (string)[];
        geography?: readonly (string)[];
        [member: string]: unknown;
      } | string | undefined;
    };
    outputs: {
      'AiSec.DlpPatternCreate': {
        /** Identifier of the data pattern. */
        id: string | null;
        /** Name of the data pattern; an archived one ends in _archived_ and a time. */
        name: string | null;
        /** What the data pattern finds. */
        description: string | null;
        /** Type: predefined, custom or file_property. */
        type: string | null;
        /** Status: active, disabled, deleted, deprecated or silent. */
        status: string | null;
        /** Detection technique and supported confidence levels. */
        detection_config: {
          /** Detection technique. */
          technique?: string | null;
          /** Confidence levels: low, medium, high. */
          supported_confidence_levels?: unknown;
          [member: string]: unknown;
        } | null;
        /** Proximity, delimiter, weighted regular expressions and criteria on metadata. */
        matching_rules: {
          /** Distance within which a proximity keyword counts, in characters. */
          proximity_distance?: number | null;
          /** Keywords that must be close to a match. */
          proximity_keywords?: unknown;
          /** Delimiter between the parts of a text. */
          delimiter?: string | null;
          /** Regular expressions, each with its weight. */
          regexes?: ({
            /** Regular expression. */
            regex?: string | null;
            /** Weight of a match. */
            weight?: number | null;
            [member: string]: unknown;
          })[] | null;
          /** Criteria on the metadata of a file. */
          metadata_criteria?: unknown;
          [member: string]: unknown;
        } | null;
        /** Tags: classification, compliance and geography. */
        tags: {
          /** Tags of classification. */
          classification?: unknown;
          /** Tags of compliance. */
          compliance?: unknown;
          /** Tags of geography. */
          geography?: unknown;
          [member: string]: unknown;
        } | null;
        /** When it was created, in milliseconds since the epoch. */
        created_at: number | null;
        /** Who created it. */
        created_by: string | null;
      };
    };
  };
  /** Patch a DLP data pattern by a JSON merge patch; omitted fields keep their values. */
  'aisec-runtime-dlp-patterns-patch': {
    args: {
      /** Identifier of the data pattern. */
      pattern_id: string;
      /** Name of the data pattern. */
      name: string;
      /** Type of the data pattern. */
      type: 'custom' | 'predefined' | 'file_property' | Text;
      /** Detection technique of the data pattern. */
      detection_technique: 'edm' | 'document_fingerprint' | 'trainable_classifier' | 'ml_document' | 'regex' | 'weighted_regex' | 'ml' | 'titus_tag' | 'wildfire' | 'file_property' | 'dictionary' | 'pab' | 'document_classifier';
      /** Confidence levels that the data pattern supports. */
      supported_confidence_levels?: readonly ('low' | 'medium' | 'high')[] | string | undefined;
      /** Description of the data pattern. */
      description?: string | null | undefined;
      /** Matching rules: a JSON object with proximity_distance (2 to 1000), proximity_keywords, delimiter, regexes ({regex, weight}) and metadata_criteria. */
      matching_rules?: {
        proximity_distance?: number;
        proximity_keywords?: readonly (string)[];
        delimiter?: string;
        regexes?: readonly ({
          regex: string;
          weight?: number;
          [member: string]: unknown;
        })[];
        metadata_criteria?: readonly (object)[];
        [member: string]: unknown;
      } | string | null | undefined;
      /** Tags: a JSON object with the arrays classification, compliance and geography. */
      tags?: {
        classification?: readonly (string)[];
        compliance?: readonly (string)[];
        geography?: readonly (string)[];
        [member: string]: unknown;
      } | string | null | undefined;
    };
    outputs: {
      'AiSec.DlpPatternPatch': {
        /** Identifier of the data pattern. */
        id: string | null;
        /** Name of the data pattern; an archived one ends in _archived_ and a time. */
        name: string | null;
        /** What the data pattern finds. */
        description: string | null;
        /** Type: predefined, custom or file_property. */
        type: string | null;
        /** Status: active, disabled, deleted, deprecated or silent. */
        status: string | null;
        /** Version of the data pattern. */
        version: number | null;
        /** Detection technique and supported confidence levels. */
        detection_config: {
          /** Detection technique. */
          technique?: string | null;
          /** Confidence levels: low, medium, high. */
          supported_confidence_levels?: unknown;
          [member: string]: unknown;
        } | null;
        /** Proximity, delimiter, weighted regular expressions and criteria on metadata. */
        matching_rules: {
          /** Distance within which a proximity keyword counts, in characters. */
          proximity_distance?: number | null;
          /** Keywords that must be close to a match. */
          proximity_keywords?: unknown;
          /** Delimiter between the parts of a text. */
          delimiter?: string | null;
          /** Regular expressions, each with its weight. */
          regexes?: ({
            /** Regular expression. */
            regex?: string | null;
            /** Weight of a match. */
            weight?: number | null;
            [member: string]: unknown;
          })[] | null;
          /** Criteria on the metadata of a file. */
          metadata_criteria?: unknown;
          [member: string]: unknown;
        } | null;
        /** Tags: classification, compliance and geography. */
        tags: {
          /** Tags of classification. */
          classification?: unknown;
          /** Tags of compliance. */
          compliance?: unknown;
          /** Tags of geography. */
          geography?: unknown;
          [member: string]: unknown;
        } | null;
        /** When it was last changed, in milliseconds since the epoch. */
        updated_at: number | null;
        /** Who changed it last. */
        updated_by: string | null;
      };
    };
  };
  /** Replace a DLP data pattern; omitted fields are lost. */
  'aisec-runtime-dlp-patterns-replace': {
    args: {
      /** Identifier of the data pattern. */
      pattern_id: string;
      /** Name of the data pattern, 1 to 64 characters. */
      name: string;
      /** Type of the data pattern. */
      type: 'custom' | 'predefined' | 'file_property' | Text;
      /** Detection technique of the data pattern. */
      detection_technique: 'edm' | 'document_fingerprint' | 'trainable_classifier' | 'ml_document' | 'regex' | 'weighted_regex' | 'ml' | 'titus_tag' | 'wildfire' | 'file_property' | 'dictionary' | 'pab' | 'document_classifier';
      /** Confidence levels that the data pattern supports. */
      supported_confidence_levels?: readonly ('low' | 'medium' | 'high')[] | string | undefined;
      /** Description of the data pattern. */
      description?: string | undefined;
      /** Matching rules: a JSON object with proximity_distance (2 to 1000), proximity_keywords, delimiter, regexes ({regex, weight}) and metadata_criteria. */
      matching_rules?: {
        proximity_distance?: number;
        proximity_keywords?: readonly (string)[];
        delimiter?: string;
        regexes?: readonly ({
          regex: string;
          weight?: number;
          [member: string]: unknown;
        })[];
        metadata_criteria?: readonly (object)[];
        [member: string]: unknown;
      } | string | undefined;
      /** Tags: a JSON object with the arrays classification, compliance and geography. */
      tags?: {
        classification?: readonly (string)[];
        compliance?: readonly (string)[];
        geography?: readonly (string)[];
        [member: string]: unknown;
      } | string | undefined;
    };
    outputs: {
      'AiSec.DlpPatternReplace': {
        /** Identifier of the data pattern. */
        id: string | null;
        /** Name of the data pattern; an archived one ends in _archived_ and a time. */
        name: string | null;
        /** What the data pattern finds. */
        description: string | null;
        /** Type: predefined, custom or file_property. */
        type: string | null;
        /** Status: active, disabled, deleted, deprecated or silent. */
        status: string | null;
        /** Version of the data pattern. */
        version: number | null;
        /** Detection technique and supported confidence levels. */
        detection_config: {
          /** Detection technique. */
          technique?: string | null;
          /** Confidence levels: low, medium, high. */
          supported_confidence_levels?: unknown;
          [member: string]: unknown;
        } | null;
        /** Proximity, delimiter, weighted regular expressions and criteria on metadata. */
        matching_rules: {
          /** Distance within which a proximity keyword counts, in characters. */
          proximity_distance?: number | null;
          /** Keywords that must be close to a match. */
          proximity_keywords?: unknown;
          /** Delimiter between the parts of a text. */
          delimiter?: string | null;
          /** Regular expressions, each with its weight. */
          regexes?: ({
            /** Regular expression. */
            regex?: string | null;
            /** Weight of a match. */
            weight?: number | null;
            [member: string]: unknown;
          })[] | null;
          /** Criteria on the metadata of a file. */
          metadata_criteria?: unknown;
          [member: string]: unknown;
        } | null;
        /** Tags: classification, compliance and geography. */
        tags: {
          /** Tags of classification. */
          classification?: unknown;
          /** Tags of compliance. */
          compliance?: unknown;
          /** Tags of geography. */
          geography?: unknown;
          [member: string]: unknown;
        } | null;
        /** When it was last changed, in milliseconds since the epoch. */
        updated_at: number | null;
        /** Who changed it last. */
        updated_by: string | null;
      };
    };
  };
  /** Archive a DLP data pattern that no active data profile refers to. */
  'aisec-runtime-dlp-patterns-delete': {
    args: {
      /** Identifier of the data pattern. */
      pattern_id: string;
    };
    outputs: {
      'AiSec.DlpPatternDelete': {
        /** Identifier of the data pattern. */
        id: string | null;
        /** Whether the service confirmed the deletion. */
        deleted: boolean | null;
        /** Result of the deletion. */
        status: string | null;
      };
    };
  };
  /** List one page of the DLP data profiles. */
  'aisec-runtime-dlp-profiles-list': {
    args: {
      /** Page number, counted from 0. */
      page?: Count | undefined;
      /** Number of records on a page. */
      size?: Count | undefined;
      /** Maximum number of records to return. */
      limit?: Count | undefined;
      /** Number of records to skip before the first one. */
      offset?: Count | undefined;
    };
    outputs: {
      'AiSec.DlpProfile': ({
        /** Identifier of the data profile. */
        id: string | null;
        /** Name of the data profile. */
        name: string | null;
        /** What the data profile is for. */
        description: string | null;
        /** Type: custom or predefined. */
        type: string | null;
        /** Status: active, disabled or deleted. */
        profile_status: string | null;
        /** Kind of the rules: basic or advanced. */
        profile_type: string | null;
        /** Version of the data profile. */
        version: number | null;
        /** Tenant of the data profile. */
        tenant_id: string | null;
        /** Whether the data profile is granular. */
        is_granular_data_profile: boolean | null;
        /** Whether a parent tenant manages it. */
        is_parent_managed: boolean | null;
        /** When it was created, in milliseconds since the epoch. */
        created_at: number | null;
        /** When it was last changed, in milliseconds since the epoch. */
        updated_at: number | null;
        /** Who created it. */
        created_by: string | null;
        /** Who changed it last. */
        updated_by: string | null;
      })[];
    };
  };
  /** Get a DLP data profile with its detection rules. */
  'aisec-runtime-dlp-profiles-get': {
    args: {
      /** Identifier of the data profile. */
      profile_id: string;
    };
    outputs: {
      'AiSec.DlpProfileGet': {
        /** Identifier of the data profile. */
        id: string | null;
        /** Name of the data profile. */
        name: string | null;
        /** What the data profile is for. */
        description: string | null;
        /** Type: custom or predefined. */
        type: string | null;
        /** Status: active, disabled or deleted. */
        profile_status: string | null;
        /** Kind of the rules: basic or advanced. */
        profile_type: string | null;
        /** Version of the data profile. */
        version: number | null;
        /** Detection rules, each with its rule_type and the structure of that type. */
        detection_rules: ({
          /** Type of the rule: expression_tree or multi_profile. */
          rule_type?: string | null;
          [member: string]: unknown;
        })[] | null;
        /** Whether the data profile is granular. */
        is_granular_data_profile: boolean | null;
        /** Whether a parent tenant manages it. */
        is_parent_managed: boolean | null;
        /** Tenant of the data profile. */
        tenant_id: string | null;
        /** When it was created, in milliseconds since the epoch. */
        created_at: number | null;
        /** When it was last changed, in milliseconds since the epoch. */
        updated_at: number | null;
        /** Who created it. */
        created_by: string | null;
        /** Who changed it last. */
        updated_by: string | null;
      };
    };
  };
  /** Create a DLP data profile. */
  'aisec-runtime-dlp-profiles-create': {
    args: {
      /** Name of the data profile, 1 to 32 characters. */
      name: string;
      /** Detection rules: a JSON array of objects, each with rule_type and the structure of that type. */
      detection_rules: readonly ({
        rule_type: "expression_tree" | "multi_profile";
        [member: string]: unknown;
      })[] | string;
      /** Description of the data profile. */
      description?: string | undefined;
      /** Make the data profile granular. */
      is_granular_data_profile?: Flag | undefined;
    };
    outputs: {
      'AiSec.DlpProfileCreate': {
        /** Identifier of the data profile. */
        id: string | null;
        /** Name of the data profile. */
        name: string | null;
        /** What the data profile is for. */
        description: string | null;
        /** Type: custom or predefined. */
        type: string | null;
        /** Status: active, disabled or deleted. */
        profile_status: string | null;
        /** Kind of the rules: basic or advanced. */
        profile_type: string | null;
        /** Version of the data profile. */
        version: number | null;
        /** Detection rules, each with its rule_type and the structure of that type. */
        detection_rules: ({
          /** Type of the rule: expression_tree or multi_profile. */
          rule_type?: string | null;
          [member: string]: unknown;
        })[] | null;
        /** Whether the data profile is granular. */
        is_granular_data_profile: boolean | null;
        /** When it was created, in milliseconds since the epoch. */
        created_at: number | null;
        /** Who created it. */
        created_by: string | null;
      };
    };
  };
  /** Patch a DLP data profile by a JSON merge patch; omitted fields keep their values. */
  'aisec-runtime-dlp-profiles-patch': {
    args: {
      /** Identifier of the data profile. */
      profile_id: string;
      /** Name of the data profile. */
      name: string;
      /** Type of the data profile. */
      profile_type: 'basic' | 'advanced';
      /** Description of the data profile. */
      description?: string | null | undefined;
      /** Detection rules: a JSON array of objects, each with rule_type and the structure of that type. They replace all existing rules. */
      detection_rules?: readonly ({
        rule_type: "expression_tree" | "multi_profile";
        [member: string]: unknown;
      })[] | string | null | undefined;
    };
    outputs: {
      'AiSec.DlpProfilePatch': {
        /** Identifier of the data profile. */
        id: string | null;
        /** Name of the data profile. */
        name: string | null;
        /** What the data profile is for. */
        description: string | null;
        /** Type: custom or predefined. */
        type: string | null;
        /** Status: active, disabled or deleted. */
        profile_status: string | null;
        /** Kind of the rules: basic or advanced. */
        profile_type: string | null;
        /** Version of the data profile. */
        version: number | null;
        /** Detection rules, each with its rule_type and the structure of that type. */
        detection_rules: ({
          /** Type of the rule: expression_tree or multi_profile. */
          rule_type?: string | null;
          [member: string]: unknown;
        })[] | null;
        /** When it was last changed, in milliseconds since the epoch. */
        updated_at: number | null;
        /** Who changed it last. */
        updated_by: string | null;
      };
    };
  };
  /** Replace a DLP data profile; omitted fields are lost. */
  'aisec-runtime-dlp-profiles-replace': {
    args: {
      /** Identifier of the data profile. */
      profile_id: string;
      /** Name of the data profile, 1 to 32 characters. */
      name: string;
      /** Detection rules: a JSON array of objects, each with rule_type and the structure of that type. */
      detection_rules: readonly ({
        rule_type: "expression_tree" | "multi_profile";
        [member: string]: unknown;
      })[] | string;
      /** Description of the data profile. */
      description?: string | undefined;
      /** Make the data profile granular. */
      is_granular_data_profile?: Flag | undefined;
    };
    outputs: {
      'AiSec.DlpProfileReplace': {
        /** Identifier of the data profile. */
        id: string | null;
        /** Name of the data profile. */
        name: string | null;
        /** What the data profile is for. */
        description: string | null;
        /** Type: custom or predefined. */
        type: string | null;
        /** Status: active, disabled or deleted. */
        profile_status: string | null;
        /** Kind of the rules: basic or advanced. */
        profile_type: string | null;
        /** Version of the data profile. */
        version: number | null;
        /** Detection rules, each with its rule_type and the structure of that type. */
        detection_rules: ({
          /** Type of the rule: expression_tree or multi_profile. */
          rule_type?: string | null;
          [member: string]: unknown;
        })[] | null;
        /** When it was last changed, in milliseconds since the epoch. */
        updated_at: number | null;
        /** Who changed it last. */
        updated_by: string | null;
      };
    };
  };
  /** Delete a DLP data profile. Marks it deleted; the API has no hard delete. */
  'aisec-runtime-dlp-profiles-delete': {
    args: {
      /** Identifier of the data profile. */
      profile_id: string;
    };
    outputs: {
      'AiSec.DlpProfileDelete': {
        /** Identifier of the data profile. */
        id: string | null;
        /** Name of the data profile. */
        name: string | null;
        /** Status of the data profile after the deletion. */
        profile_status: string | null;
        /** Whether the status is deleted. */
        deleted: boolean | null;
        /** Result of the deletion. */
        status: string | null;
      };
    };
  };
  /** Scan a prompt, and optionally a response, against a security profile. */
  'aisec-runtime-scan': {
    args: {
      /** Name of the security profile to apply. */
      profile_name?: string | undefined;
      /** Prompt to scan; empty to scan another text alone. */
      prompt?: string | undefined;
      /** Model response, scanned together with the prompt. */
      response?: string | undefined;
      /** Correlation id of the caller; it is returned. */
      tr_id?: string | undefined;
      /** Session id of the caller; it groups scans and is returned. */
      session_id?: string | undefined;
      /** Name of the application that requests the scan. */
      app_name?: string | undefined;
      /** End user of the application. */
      app_user?: string | undefined;
      /** AI model behind the application. */
      ai_model?: string | undefined;
      /** IP address of the end user. */
      user_ip?: string | undefined;
      /** Identifier of the agent. */
      agent_id?: string | undefined;
      /** Version of the agent. */
      agent_version?: string | undefined;
      /** Resource name of the agent. */
      agent_arn?: string | undefined;
      /** Identifier of the security profile to apply; it takes precedence over profile_name. */
      profile_id?: string | undefined;
      /** Identifier of this turn of a session, for reports of the service. */
      transaction_id?: string | undefined;
      /** Grounding context, with which the response is compared. */
      context?: string | undefined;
      /** Code of the prompt, scanned together with it. */
      code_prompt?: string | undefined;
      /** Code of the response, scanned together with it. */
      code_response?: string | undefined;
      /** Call of a tool to scan: metadata with ecosystem (such as mcp), method (such as tools/call), server_name and tool_invoked; input, output or both, as texts. */
      tool_event?: {
        metadata: {
          ecosystem: string;
          method: string;
          server_name: string;
          tool_invoked?: string;
          [member: string]: unknown;
        };
        input?: string;
        output?: string;
        [member: string]: unknown;
      } | string | undefined;
      /** Several turns, as a list of objects with prompt, response, code_prompt, code_response, context and tool_event. Leave prompt empty. */
      contents?: readonly ({
        prompt?: string;
        response?: string;
        code_prompt?: string;
        code_response?: string;
        context?: string;
        tool_event?: {
          metadata: {
            ecosystem: string;
            method: string;
            server_name: string;
            tool_invoked?: string;
            [member: string]: unknown;
          };
          input?: string;
          output?: string;
          [member: string]: unknown;
        };
        [member: string]: unknown;
      })[] | string | undefined;
    } & ({ profile_name: string } | { profile_id: string }) & ({ prompt: string } | { response: string } | { code_prompt: string } | { code_response: string } | { tool_event: {
        metadata: {
          ecosystem: string;
          method: string;
          server_name: string;
          tool_invoked?: string;
          [member: string]: unknown;
        };
        input?: string;
        output?: string;
        [member: string]: unknown;
      } | string } | { contents: readonly ({
        prompt?: string;
        response?: string;
        code_prompt?: string;
        code_response?: string;
        context?: string;
        tool_event?: {
          metadata: {
            ecosystem: string;
            method: string;
            server_name: string;
            tool_invoked?: string;
            [member: string]: unknown;
          };
          input?: string;
          output?: string;
          [member: string]: unknown;
        };
        [member: string]: unknown;
      })[] | string });
    outputs: {
      'AiSec.RuntimeScan': {
        /** Verdict of the scan: allow or block. */
        action: string;
        /** Category of the verdict, such as benign or malicious. */
        category: string | null;
        /** Whether any detector found a threat in the prompt, in the response or in the call of a tool. */
        detected: boolean | null;
        /** Detectors that ran on the prompt, each with its result. */
        prompt_detected: {
          /** Whether a prompt injection was found. */
          injection?: boolean | null;
          /** Whether sensitive data was found. */
          dlp?: boolean | null;
          /** Whether toxic content was found. */
          toxic_content?: boolean | null;
          /** Whether a custom topic was violated. */
          topic_violation?: boolean | null;
          /** Whether an address of a blocked category was found. */
          url_cats?: boolean | null;
          /** Whether malicious code was found. */
          malicious_code?: boolean | null;
          /** Whether a threat to an agent was found. */
          agent?: boolean | null;
          [member: string]: unknown;
        } | null;
        /** Detectors that ran on the response; empty when no response was scanned. */
        response_detected: {
          /** Whether sensitive data was found. */
          dlp?: boolean | null;
          /** Whether toxic content was found. */
          toxic_content?: boolean | null;
          /** Whether a custom topic was violated. */
          topic_violation?: boolean | null;
          /** Whether an address of a blocked category was found. */
          url_cats?: boolean | null;
          /** Whether malicious code was found. */
          malicious_code?: boolean | null;
          /** Whether a threat to an agent was found. */
          agent?: boolean | null;
          /** Whether a database statement was found that the profile does not allow. */
          db_security?: boolean | null;
          /** Whether the response is not grounded in its context. */
          ungrounded?: boolean | null;
          [member: string]: unknown;
        } | null;
        /** Name of the security profile that decided. */
        profile_name: string | null;
        /** Identifier of the security profile that decided. */
        profile_id: string | null;
        /** The prompt that was scanned. */
        prompt: string | null;
        /** The response that was scanned; null when there was none. */
        response: string | null;
        /** Identifier of the scan. */
        scan_id: string | null;
        /** Identifier of the scan report. */
        report_id: string | null;
        /** Correlation id of the request; without it, the id that the service generated. */
        tr_id: string | null;
        /** Session id of the request; without it, the id that the service generated. */
        session_id: string | null;
        /** Where the scan request came from. */
        source: string | null;
        /** Whether a detector timed out. */
        timeout: boolean | null;
        /** Whether a detector failed. */
        error: boolean | null;
        /** Detectors that failed or timed out. */
        errors: unknown;
        /** What the whole answer says: allow, of a complete scan only, block or none. */
        decision?: "allow" | "block" | "none";
        /** Why there is no decision: timeout, error, action, category or missing. */
        decision_cause?: "timeout" | "error" | "action" | "category" | "missing";
        /** Identifier of this turn of the session. */
        transaction_id?: string;
        /** The prompt with its sensitive data masked. */
        prompt_masked_data?: {
          /** The text, with the sensitive data masked. */
          data?: string | null;
          /** What was masked: the name of each pattern, and its locations. */
          pattern_detections?: ({
            /** Name of the pattern. */
            pattern?: string | null;
            /** Start and end of each match, counted in characters. */
            locations?: unknown;
            [member: string]: unknown;
          })[] | null;
          [member: string]: unknown;
        };
        /** The response with its sensitive data masked. */
        response_masked_data?: {
          /** The text, with the sensitive data masked. */
          data?: string | null;
          /** What was masked: the name of each pattern, and its locations. */
          pattern_detections?: ({
            /** Name of the pattern. */
            pattern?: string | null;
            /** Start and end of each match, counted in characters. */
            locations?: unknown;
            [member: string]: unknown;
          })[] | null;
          [member: string]: unknown;
        };
        /** Topics and toxic content of the prompt. */
        prompt_detection_details?: {
          /** Topics that the text is on. */
          topic_guardrails_details?: {
            /** Topics that the profile allows. */
            allowed_topics?: unknown;
            /** Topics that the profile blocks. */
            blocked_topics?: unknown;
            [member: string]: unknown;
          } | null;
          /** Toxic content of the text. */
          toxic_content_details?: {
            /** Categories of the toxic content. */
            toxic_categories?: unknown;
            [member: string]: unknown;
          } | null;
          [member: string]: unknown;
        };
        /** Topics and toxic content of the response. */
        response_detection_details?: {
          /** Topics that the text is on. */
          topic_guardrails_details?: {
            /** Topics that the profile allows. */
            allowed_topics?: unknown;
            /** Topics that the profile blocks. */
            blocked_topics?: unknown;
            [member: string]: unknown;
          } | null;
          /** Toxic content of the text. */
          toxic_content_details?: {
            /** Categories of the toxic content. */
            toxic_categories?: unknown;
            [member: string]: unknown;
          } | null;
          [member: string]: unknown;
        };
        /** Findings in the call of a tool. */
        tool_detected?: {
          /** Verdict of the call: malicious or benign. */
          verdict?: string | null;
          /** The tool, as the request named it. */
          metadata?: {
            /** Protocol of the tool. */
            ecosystem?: string | null;
            /** Method of the call. */
            method?: string | null;
            /** Name of the server. */
            server_name?: string | null;
            /** Name of the tool. */
            tool_invoked?: string | null;
            [member: string]: unknown;
          } | null;
          /** Findings in input and output together. */
          summary?: {
            /** Detectors that ran, each with its result. */
            detections?: unknown;
            /** Names of the threats. */
            threats?: unknown;
            [member: string]: unknown;
          } | null;
          /** Findings in the input. */
          input_detected?: {
            /** Findings in each text of the tool, kept as sent. */
            detection_entries?: unknown;
            [member: string]: unknown;
          } | null;
          /** Findings in the output. */
          output_detected?: {
            /** Findings in each text of the tool, kept as sent. */
            detection_entries?: unknown;
            [member: string]: unknown;
          } | null;
          [member: string]: unknown;
        };
        /** Start of the scan. */
        created_at?: string;
        /** End of the scan. */
        completed_at?: string;
      };
    };
  };
  /** List the security profiles. */
  'aisec-runtime-profiles-list': {
    args: {
      /** Maximum number of records to return. */
      limit?: Count | undefined;
      /** Number of records to skip before the first one. */
      offset?: Count | undefined;
    };
    outputs: {
      'AiSec.SecurityProfile': ({
        /** Identifier of the security profile. */
        id: string | null;
        /** Name of the security profile. */
        name: string | null;
        /** Revision; it starts at 1 and increases with each update. */
        revision: number | null;
        /** Whether the profile is active. */
        active: boolean | null;
        /** Who created the profile. */
        created_by: string | null;
        /** Who updated the profile last; the text none if no one is recorded. */
        updated_by: string | null;
        /** When the profile was last changed. */
        last_modified_ts: string | null;
        /** Tenant services group of the profile. */
        tsg_id: string | null;
      })[];
    };
  };
  /** Get a security profile by id, or the highest revision by name. */
  'aisec-runtime-profiles-get': {
    args: {
      /** Identifier of the security profile. */
      profile_id?: string | undefined;
      /** Name of the security profile; its highest revision is returned. */
      profile_name?: string | undefined;
    };
    outputs: {
      'AiSec.SecurityProfileGet': {
        /** Identifier of the security profile. */
        id: string | null;
        /** Name of the security profile. */
        name: string | null;
        /** Revision; it starts at 1 and increases with each update. */
        revision: number | null;
        /** Whether the profile is active. */
        active: boolean | null;
        /** Who created the profile. */
        created_by: string | null;
        /** Who updated the profile last; the text none if no one is recorded. */
        updated_by: string | null;
        /** When the profile was last changed. */
        last_modified_ts: string | null;
        /** Tenant services group of the profile. */
        tsg_id: string | null;
        /** Customer support portal account of the tenant. */
        csp_id: string | null;
        /** The policy: detectors with their actions, and DLP data profiles. */
        policy: {
          /** Detectors with their actions, by type of model. */
          'ai-security-profiles'?: ({
            /** Type of the model, such as default. */
            'model-type'?: string | null;
            /** Settings: model-protection, app-protection, data-protection, latency, mask-data-in-storage. */
            'model-configuration'?: unknown;
            [member: string]: unknown;
          })[] | null;
          /** DLP data profiles that the policy uses. */
          'dlp-data-profiles'?: unknown;
          [member: string]: unknown;
        } | null;
      };
    };
  };
  /** Create a security profile. */
  'aisec-runtime-profiles-create': {
    args: {
      /** Name of the security profile; it must be unique. */
      profile_name: string;
      /** Active state of the profile. */
      active?: Flag | undefined;
      /** Policy of the profile, as a JSON object. */
      policy?: {
        'ai-security-profiles'?: readonly (object)[];
        'dlp-data-profiles'?: readonly (object)[];
        [member: string]: unknown;
      } | string | undefined;
    };
    outputs: {
      'AiSec.SecurityProfileCreate': {
        /** Identifier of the security profile. */
        id: string | null;
        /** Name of the security profile. */
        name: string | null;
        /** Revision; it starts at 1 and increases with each update. */
        revision: number | null;
        /** Whether the profile is active. */
        active: boolean | null;
        /** Who created the profile. */
        created_by: string | null;
        /** Who updated the profile last; the text none if no one is recorded. */
        updated_by: string | null;
        /** When the profile was last changed. */
        last_modified_ts: string | null;
        /** Tenant services group of the profile. */
        tsg_id: string | null;
        /** Customer support portal account of the tenant. */
        csp_id: string | null;
        /** The policy: detectors with their actions, and DLP data profiles. */
        policy: {
          /** Detectors with their actions, by type of model. */
          'ai-security-profiles'?: ({
            /** Type of the model, such as default. */
            'model-type'?: string | null;
            /** Settings: model-protection, app-protection, data-protection, latency, mask-data-in-storage. */
            'model-configuration'?: unknown;
            [member: string]: unknown;
          })[] | null;
          /** DLP data profiles that the policy uses. */
          'dlp-data-profiles'?: unknown;
          [member: string]: unknown;
        } | null;
      };
    };
  };
  /** Update a security profile: its revision increases, and omitted fields keep their values. */
  'aisec-runtime-profiles-update': {
    args: {
      /** Identifier of the security profile. */
      profile_id: string;
      /** Name of the security profile; it may stay the same. */
      profile_name: string;
      /** Active state of the profile. */
      active?: Flag | undefined;
      /** Policy of the profile, as a JSON object. */
      policy?: {
        'ai-security-profiles'?: readonly (object)[];
        'dlp-data-profiles'?: readonly (object)[];
        [member: string]: unknown;
      } | string | undefined;
    };
    outputs: {
      'AiSec.SecurityProfileUpdate': {
        /** Identifier of the security profile. */
        id: string | null;
        /** Name of the security profile. */
        name: string | null;
        /** Revision; it starts at 1 and increases with each update. */
        revision: number | null;
        /** Whether the profile is active. */
        active: boolean | null;
        /** Who created the profile. */
        created_by: string | null;
        /** Who updated the profile last; the text none if no one is recorded. */
        updated_by: string | null;
        /** When the profile was last changed. */
        last_modified_ts: string | null;
        /** Tenant services group of the profile. */
        tsg_id: string | null;
        /** Customer support portal account of the tenant. */
        csp_id: string | null;
        /** The policy: detectors with their actions, and DLP data profiles. */
        policy: {
          /** Detectors with their actions, by type of model. */
          'ai-security-profiles'?: ({
            /** Type of the model, such as default. */
            'model-type'?: string | null;
            /** Settings: model-protection, app-protection, data-protection, latency, mask-data-in-storage. */
            'model-configuration'?: unknown;
            [member: string]: unknown;
          })[] | null;
          /** DLP data profiles that the policy uses. */
          'dlp-data-profiles'?: unknown;
          [member: string]: unknown;
        } | null;
      };
    };
  };
  /** Delete a security profile; this cannot be undone. */
  'aisec-runtime-profiles-delete': {
    args: {
      /** Identifier of the security profile. */
      profile_id: string;
      /** Delete the profile even if it is in use. */
      force?: Flag | undefined;
      /** Email address of the person who deletes the profile; required with force. */
      updated_by?: string | undefined;
    };
    outputs: {
      'AiSec.SecurityProfileDeleted': {
        /** Identifier of the security profile. */
        profile_id: string | null;
        /** Message of the service. */
        message: string | null;
        /** Whether the service confirmed the deletion. */
        deleted: boolean | null;
        /** Whether the deletion was forced. */
        force: boolean | null;
      };
    };
  };
  /** List the custom topics. */
  'aisec-runtime-topics-list': {
    args: {
      /** Maximum number of records to return. */
      limit?: Count | undefined;
      /** Number of records to skip before the first one. */
      offset?: Count | undefined;
    };
    outputs: {
      'AiSec.Topic': ({
        /** Identifier of the topic. */
        topic_id: string | null;
        /** Name of the topic. */
        topic_name: string | null;
        /** Revision; it starts at 1 and increases with each update. */
        revision: number | null;
        /** What the topic is about. */
        description: string | null;
        /** Example prompts. */
        examples: unknown;
        /** When the topic was last changed. */
        last_modified_ts: string | null;
        /** Who created the topic. */
        created_by: string | null;
        /** Who updated the topic last. */
        updated_by: string | null;
        /** Customer support portal account of the tenant. */
        csp_id: string | null;
        /** Tenant services group of the topic. */
        tsg_id: string | null;
      })[];
    };
  };
  /** Get a custom topic by id or by name. */
  'aisec-runtime-topics-get': {
    args: {
      /** Identifier of the topic. */
      topic_id?: string | undefined;
      /** Name of the topic; its highest revision is returned. */
      topic_name?: string | undefined;
    };
    outputs: {
      'AiSec.TopicGet': {
        /** Identifier of the topic. */
        topic_id: string | null;
        /** Name of the topic. */
        topic_name: string | null;
        /** Revision; it starts at 1 and increases with each update. */
        revision: number | null;
        /** Whether the topic is active. */
        active: boolean | null;
        /** What the topic is about. */
        description: string | null;
        /** Example prompts. */
        examples: unknown;
        /** Who created the topic. */
        created_by: string | null;
        /** Who updated the topic last. */
        updated_by: string | null;
        /** When the topic was last changed. */
        last_modified_ts: string | null;
        /** When the topic was created. */
        created_ts: string | null;
      };
    };
  };
  /** Create a custom topic. */
  'aisec-runtime-topics-create': {
    args: {
      /** Name of the topic; it must be unique. */
      topic_name: string;
      /** Subject of the topic. */
      description: string;
      /** Example prompts, two to five; a JSON array if a prompt contains a comma. */
      examples: readonly (string)[] | string;
      /** Active state of the topic. */
      active?: Flag | undefined;
    };
    outputs: {
      'AiSec.TopicCreate': {
        /** Identifier of the topic. */
        topic_id: string | null;
        /** Name of the topic. */
        topic_name: string | null;
        /** Revision; it starts at 1 and increases with each update. */
        revision: number | null;
        /** Whether the topic is active. */
        active: boolean | null;
        /** What the topic is about. */
        description: string | null;
        /** Example prompts. */
        examples: unknown;
        /** Who created the topic. */
        created_by: string | null;
        /** Who updated the topic last. */
        updated_by: string | null;
        /** When the topic was last changed. */
        last_modified_ts: string | null;
        /** When the topic was created. */
        created_ts: string | null;
      };
    };
  };
  /** Update a custom topic: its revision increases, and omitted fields keep their values. */
  'aisec-runtime-topics-update': {
    args: {
      /** Identifier of the topic. */
      topic_id: string;
      /** Name of the topic; it may stay the same. */
      topic_name: string;
      /** Subject of the topic. */
      description?: string | undefined;
      /** Example prompts, two to five; a JSON array if a prompt contains a comma. */
      examples?: readonly (string)[] | string | undefined;
      /** Active state of the topic. */
      active?: Flag | undefined;
    };
    outputs: {
      'AiSec.TopicUpdate': {
        /** Identifier of the topic. */
        topic_id: string | null;
        /** Name of the topic. */
        topic_name: string | null;
        /** Revision; it starts at 1 and increases with each update. */
        revision: number | null;
        /** Whether the topic is active. */
        active: boolean | null;
        /** What the topic is about. */
        description: string | null;
        /** Example prompts. */
        examples: unknown;
        /** Who created the topic. */
        created_by: string | null;
        /** Who updated the topic last. */
        updated_by: string | null;
        /** When the topic was last changed. */
        last_modified_ts: string | null;
        /** When the topic was created. */
        created_ts: string | null;
      };
    };
  };
  /** Delete a custom topic. */
  'aisec-runtime-topics-delete': {
    args: {
      /** Identifier of the topic. */
      topic_id: string;
      /** Delete the topic even if security profiles refer to it, and remove it from them. */
      force?: Flag | undefined;
      /** Email address of the person who deletes the topic; used by a forced deletion. */
      updated_by?: string | undefined;
    };
    outputs: {
      'AiSec.TopicDeleted': {
        /** Identifier of the topic. */
        topic_id: string | null;
        /** Message of the service. */
        message: string | null;
        /** Whether the service confirmed the deletion. */
        deleted: boolean | null;
        /** Whether the deletion was forced. */
        force: boolean | null;
      };
    };
  };
  /** Add a custom topic to a security profile, pinned at its current revision; other topics stay. */
  'aisec-runtime-topics-apply': {
    args: {
      /** Name of the security profile. */
      profile_name: string;
      /** Name of the topic; it must exist. */
      topic_name: string;
      /** Action for prompts that match the topic. */
      action?: 'allow' | 'block' | undefined;
      /** Action for prompts that match no topic: block needs allow topics, allow needs only block topics. */
      guardrail_action?: 'allow' | 'block' | undefined;
      /** Keep the current guardrail action, and ignore guardrail_action. */
      keep_guardrail_action?: Flag | undefined;
    };
    outputs: {
      'AiSec.TopicApplied': {
        /** Name of the security profile. */
        profile_name: string | null;
        /** Identifier of the security profile, as the service returned it. */
        profile_id: string | null;
        /** Name of the topic. */
        topic_name: string | null;
        /** Identifier of the topic. */
        topic_id: string | null;
        /** Revision of the topic that is pinned into the profile. */
        topic_revision: number | null;
        /** Action for prompts that match the topic. */
        action: string | null;
        /** Action for prompts that match no topic. */
        guardrail_action: string | null;
        /** Whether the profile has the change when it is read again. */
        applied: boolean;
      };
    };
  };
  /** List the adapters, whose scripts reach targets. */
  'aisec-redteam-adapters-list': {
    args: {
      /** Maximum number of records to return. */
      limit?: Count | undefined;
      /** Number of records to skip before the first one. */
      skip?: Count | undefined;
      /** Return only adapters whose name contains this text. */
      search?: string | undefined;
      /** Also count the targets of each adapter, which takes longer. */
      include_target_count?: Flag | undefined;
      /** Number of records to skip before the first one. */
      offset?: Count | undefined;
    };
    outputs: {
      'AiSec.RedTeamAdapter': ({
        /** Identifier of the adapter. */
        uuid: string | null;
        /** Name of the adapter. */
        name: string | null;
        /** ACTIVE when its script ran successfully, else DRAFT. */
        status: string | null;
        /** Number of targets that use the adapter. */
        target_count: number | null;
        /** When the adapter was created. */
        created_at: string | null;
        /** When the adapter was last changed. */
        updated_at: string | null;
      })[];
    };
  };
  /** Get an adapter with its script; its secrets are redacted. */
  'aisec-redteam-adapters-get': {
    args: {
      /** Identifier of the adapter. */
      uuid: string;
    };
    outputs: {
      'AiSec.RedTeamAdapter': {
        /** Identifier of the adapter. */
        uuid: string | null;
        /** Name of the adapter. */
        name: string | null;
        /** ACTIVE when its script ran successfully, else DRAFT. */
        status: string | null;
        /** What the adapter is for. */
        description: string | null;
        /** Identifier of the network channel that its script runs through. */
        network_broker_channel_uuid: string | null;
        /** Variables of the script, each with key, value and type (VAR or SECRET); secrets are redacted. */
        variables: ({
          /** Name of the variable. */
          key?: string | null;
          /** Value of the variable; a secret is redacted. */
          value?: string | null;
          /** VAR or SECRET. */
          type?: string | null;
          [member: string]: unknown;
        })[] | null;
        /** The script, in base64. */
        script_b64: string | null;
        /** Number of targets that use the adapter. */
        target_count: number | null;
        /** Tenant services group of the adapter. */
        tsg_id: string | null;
        /** When the adapter was created. */
        created_at: string | null;
        /** When the adapter was last changed. */
        updated_at: string | null;
      };
    };
  };
  /** Create an adapter, and test its script. */
  'aisec-redteam-adapters-create': {
    args: {
      /** Name of the adapter. */
      name: string;
      /** Sample prompt for a trial run of the script; it is not stored. */
      prompt: string;
      /** Script of the adapter, as plain text. */
      script?: string | undefined;
      /** Script of the adapter, in base64. */
      script_b64?: string | undefined;
      /** Description of the adapter. */
      description?: string | undefined;
      /** Identifier of the network channel that the script runs through; it must be ONLINE to run. */
      network_broker_channel_uuid?: string | undefined;
      /** Variables of the script, as a JSON array of objects with key, value and type (VAR or SECRET). */
      variables?: readonly ({
        key: string;
        value: string;
        type: "VAR" | "SECRET";
        is_redacted?: boolean;
      })[] | string | undefined;
      /** Run the script through its channel: the adapter becomes ACTIVE if the run succeeds; with false it stays a DRAFT. */
      validate?: Flag | undefined;
    };
    outputs: {
      'AiSec.RedTeamAdapter': {
        /** Identifier of the adapter. */
        uuid: string | null;
        /** Name of the adapter. */
        name: string | null;
        /** ACTIVE when its script ran successfully, else DRAFT. */
        status: string | null;
        /** Identifier of the network channel that its script runs through. */
        network_broker_channel_uuid: string | null;
        /** Number of targets that use the adapter. */
        target_count: number | null;
        /** When the adapter was created. */
        created_at: string | null;
      };
    };
  };
  /** Update an adapter, and test its script; omitted fields keep their values. */
  'aisec-redteam-adapters-update': {
    args: {
      /** Identifier of the adapter. */
      uuid: string;
      /** Sample prompt for a trial run of the script; it is not stored. */
      prompt: string;
      /** Name of the adapter. */
      name?: string | undefined;
      /** Script of the adapter, as plain text. */
      script?: string | undefined;
      /** Script of the adapter, in base64. */
      script_b64?: string | undefined;
      /** Description of the adapter. */
      description?: string | null | undefined;
      /** Identifier of the network channel that the script runs through; it must be ONLINE to run. */
      network_broker_channel_uuid?: string | null | undefined;
      /** Variables of the script, as a JSON array of objects with key, value and type (VAR or SECRET); the complete set. The value null keeps a stored secret, and [] deletes all variables. */
      variables?: readonly ({
        key: string;
        value?: string | null;
        type: "VAR" | "SECRET";
        is_redacted?: boolean;
      })[] | string | undefined;
      /** Run the script through its channel: the adapter becomes ACTIVE if the run succeeds; with false it stays a DRAFT. */
      validate?: Flag | undefined;
    };
    outputs: {
      'AiSec.RedTeamAdapter': {
        /** Identifier of the adapter. */
        uuid: string | null;
        /** Name of the adapter. */
        name: string | null;
        /** ACTIVE when its script ran successfully, else DRAFT. */
        status: string | null;
        /** Identifier of the network channel that its script runs through. */
        network_broker_channel_uuid: string | null;
        /** Number of targets that use the adapter. */
        target_count: number | null;
        /** When the adapter was created. */
        created_at: string | null;
        /** When the adapter was last changed. */
        updated_at: string | null;
      };
    };
  };
  /** Delete an adapter permanently. */
  'aisec-redteam-adapters-delete': {
    args: {
      /** Identifier of the adapter. */
      uuid: string;
    };
    outputs: {
      'AiSec.RedTeamAdapterDelete': {
        /** Identifier of the adapter. */
        uuid: string | null;
        /** Whether the operation succeeded. */
        is_success: boolean | null;
      };
    };
  };
  /** Run the script of an adapter and show its output; nothing is saved. */
  'aisec-redteam-adapters-validate': {
    args: {
      /** Identifier of the network channel that the script runs through; it must be ONLINE to run. */
      network_broker_channel_uuid: string;
      /** Sample prompt for a trial run of the script; it is not stored. */
      prompt: string;
      /** Script of the adapter, as plain text. */
      script?: string | undefined;
      /** Script of the adapter, in base64. */
      script_b64?: string | undefined;
      /** Variables of the script, as a JSON array of objects with key, value and type (VAR or SECRET). Values that are null or redacted are taken from adapter_uuid. */
      variables?: readonly ({
        key: string;
        value?: string | null;
        type: "VAR" | "SECRET";
        is_redacted?: boolean;
      })[] | string | undefined;
      /** Identifier of an adapter whose stored secrets are used. */
      adapter_uuid?: string | undefined;
    };
    outputs: {
      'AiSec.RedTeamAdapterValidation': {
        /** Whether the script ran successfully. */
        validated: boolean | null;
        /** Standard output of the script. */
        stdout: string | null;
        /** Standard error of the script. */
        stderr: string | null;
        /** Where the script failed. */
        traceback: string | null;
      };
    };
  };
  /** Get the report of a custom red-team scan. */
  'aisec-redteam-custom-attack-report-get': {
    args: {
      /** Identifier of the scan. */
      job_id: string;
    };
    outputs: {
      'AiSec.RedTeamCustomAttackReport': {
        /** Identifier of the scan. */
        job_id: string | null;
        /** Risk score, from 0 to 100. */
        score: number | null;
        /** Attack success rate, in percent. */
        asr: number | null;
        /** Number of prompts. */
        total_prompts: number | null;
        /** Number of attacks. */
        total_attacks: number | null;
        /** Number of successful attacks. */
        total_threats: number | null;
        /** Number of failed attacks. */
        failed_attacks: number | null;
        /** Results by prompt set. */
        custom_attack_reports: (unknown)[] | null;
        /** Results by property and value. */
        property_statistics: (unknown)[] | null;
      };
    };
  };
  /** List the results of a custom red-team scan by prompt set. */
  'aisec-redteam-custom-attack-report-prompt-sets': {
    args: {
      /** Identifier of the scan. */
      job_id: string;
      /** Maximum number of records to return. */
      limit?: Count | undefined;
      /** Number of records to skip before the first one. */
      offset?: Count | undefined;
    };
    outputs: {
      'AiSec.RedTeamCustomAttackReportPromptSet': ({
        /** Identifier of the prompt set. */
        prompt_set_id: string | null;
        /** Name of the prompt set. */
        prompt_set_name: string | null;
        /** Number of prompts. */
        total_prompts: number | null;
        /** Number of attacks. */
        total_attacks: number | null;
        /** Number of successful attacks. */
        total_threats: number | null;
        /** Number of failed attacks. */
        failed_attacks: number | null;
        /** Share of successful attacks, in percent. */
        threat_rate: number | null;
        /** Names of the properties of its prompts. */
        property_names: unknown;
        /** Results by property and value. */
        property_statistics: (unknown)[] | null;
      })[];
    };
  };
  /** List the results of a custom red-team scan by prompt, for one prompt set. */
  'aisec-redteam-custom-attack-report-prompts': {
    args: {
      /** Identifier of the scan. */
      job_id: string;
      /** Identifier of the prompt set. */
      prompt_set_id: string;
      /** Return only attacks that succeeded (true), or only others (false). */
      is_threat?: Flag | undefined;
      /** Number of records to skip before the first one. */
      skip?: Count | undefined;
      /** Maximum number of records to return. */
      limit?: Count | undefined;
      /** Return only prompts that contain this text, in the prompt or in its goal. */
      search?: string | undefined;
      /** Number of records to skip before the first one. */
      offset?: Count | undefined;
    };
    outputs: {
      'AiSec.RedTeamCustomAttackPrompt': ({
        /** Identifier of the prompt. */
        prompt_id: string | null;
        /** Whether the attack succeeded. */
        threat: boolean | null;
        /** Attack success rate, in percent. */
        asr: number | null;
        /** The prompt. */
        prompt_text: string | null;
        /** Goal of the prompt. */
        goal: string | null;
        /** Properties of the prompt, each a name and a value. */
        properties: unknown;
        /** Identifier of the attack. */
        attack_id: string | null;
        /** Whether a user wrote the goal. */
        user_defined_goal: boolean | null;
        /** Name of the prompt set. */
        prompt_set_name: string | null;
        /** Identifier of the prompt set. */
        prompt_set_id: string | null;
      })[];
    };
  };
  /** Get a prompt of a custom red-team scan with the responses of the target. */
  'aisec-redteam-custom-attack-report-prompt-get': {
    args: {
      /** Identifier of the scan. */
      job_id: string;
      /** Identifier of the prompt. */
      prompt_id: string;
    };
    outputs: {
      'AiSec.RedTeamCustomAttackPrompt': {
        /** Identifier of the prompt. */
        prompt_id: string | null;
        /** Whether the attack succeeded. */
        threat: boolean | null;
        /** Attack success rate, in percent. */
        asr: number | null;
        /** The prompt. */
        prompt_text: string | null;
        /** Goal of the prompt. */
        goal: string | null;
        /** Properties of the prompt, each a name and a value. */
        properties: unknown;
        /** Identifier of the attack. */
        attack_id: string | null;
        /** Whether a user wrote the goal. */
        user_defined_goal: boolean | null;
        /** Name of the prompt set. */
        prompt_set_name: string | null;
        /** Identifier of the prompt set. */
        prompt_set_id: string | null;
        /** Responses of the target, one for each attempt. */
        attack_outputs: unknown;
      };
    };
  };
  /** List the attacks of a custom red-team scan. */
  'aisec-redteam-custom-attacks-list': {
    args: {
      /** Identifier of the scan. */
      job_id: string;
      /** Return only attacks that succeeded (true), or only others (false). */
      threat?: Flag | undefined;
      /** Return only attacks with prompts of this prompt set. */
      prompt_set_id?: string | undefined;
      /** Return only attacks whose prompt has these properties: JSON text, such as {"team": "claims"}. */
      property_value?: string | undefined;
      /** Number of records to skip before the first one. */
      skip?: Count | undefined;
      /** Maximum number of records to return. */
      limit?: Count | undefined;
      /** Return only prompts that contain this text, in the prompt or in its goal. */
      search?: string | undefined;
      /** Number of records to skip before the first one. */
      offset?: Count | undefined;
    };
    outputs: {
      'AiSec.RedTeamCustomAttack': {
        /** Identifier of the scan. */
        job_id: string | null;
        /** The attacks. */
        attacks: (unknown)[] | null;
        summary: {
          /** Number of attacks. */
          total_attacks: number | null;
          /** Number of successful attacks. */
          total_threats: number | null;
          /** Number of attacks that match the filters. */
          total_items: number | null;
        };
      };
    };
  };
  /** List the responses of the target to an attack of a custom red-team scan. */
  'aisec-redteam-custom-attack-outputs': {
    args: {
      /** Identifier of the scan. */
      job_id: string;
      /** Identifier of the attack. */
      attack_id: string;
    };
    outputs: {
      'AiSec.RedTeamCustomAttackOutput': ({
        /** Identifier of the output. */
        uuid: string | null;
        /** Whether the attack succeeded. */
        threat: boolean | null;
        /** Whether a user has marked it as safe. */
        marked_safe: boolean | null;
        /** Response of the target. */
        output: string | null;
        /** Identifier of the attack. */
        custom_attack_id: string | null;
        /** Identifier of the scan. */
        job_id: string | null;
        /** Identifier of the target. */
        target_id: string | null;
        /** Tenant services group of the scan. */
        tsg_id: string | null;
      })[];
    };
  };
  /** Count the attacks of a custom red-team scan by the properties of their prompts. */
  'aisec-redteam-custom-attack-property-stats': {
    args: {
      /** Identifier of the scan. */
      job_id: string;
    };
    outputs: {
      'AiSec.RedTeamCustomAttackPropertyStat': ({
        /** Name of the property. */
        property_name: string | null;
        /** Values of the property, each with its successful attacks, all its attacks, and their rate. */
        values: ({
          /** Value of the property. */
          value?: string | null;
          /** Number of successful attacks. */
          successful_attack_count?: number | null;
          /** Number of attacks. */
          total_attack_count?: number | null;
          /** Share of successful attacks, in percent. */
          success_rate?: number | null;
          [member: string]: unknown;
        })[] | null;
      })[];
    };
  };
  /** Count scans and scanned targets, by type, status and risk. */
  'aisec-redteam-dashboard-scan-statistics': {
    args: {
      /** Period to count. */
      date_range?: '30d' | 'LAST_7_DAYS' | 'LAST_15_DAYS' | 'LAST_30_DAYS' | 'ALL' | Text | undefined;
      /** Return only scans of this target. */
      target_id?: string | undefined;
    };
    outputs: {
      'AiSec.RedTeamScanStatistics': {
        /** Number of scans. */
        total_scans: number | null;
        /** Number of scanned targets. */
        targets_scanned: number | null;
        /** Scanned targets, by type. */
        targets_scanned_by_type: ({
          /** Name of the type. */
          name: string | null;
          /** Number of scans or targets. */
          count: number | null;
        })[] | null;
        /** Scans by status. */
        scan_status: ({
          /** Name of the status. */
          name: string | null;
          /** Number of scans or targets. */
          count: number | null;
        })[] | null;
        /** Scans by risk rating. */
        risk_profile: ({
          /** CRITICAL, HIGH, MEDIUM or LOW. */
          risk_rating: string | null;
          /** Number of scans with this rating. */
          total: number | null;
        })[] | null;
      };
    };
  };
  /** Show the scores of a target over time. */
  'aisec-redteam-dashboard-score-trend': {
    args: {
      /** Identifier of the target. */
      target_id: string;
    };
    outputs: {
      'AiSec.RedTeamScoreTrend': {
        /** Identifier of the target. */
        target_id: string | null;
        /** Time buckets, in their order. */
        labels: unknown;
        /** One series for each job type: its label, and its data in the order of the buckets. */
        series: ({
          /** Job type. */
          label: string | null;
          /** Scores, in the order of the buckets; null where no scan completed. */
          data: unknown;
        })[] | null;
      };
    };
  };
  /** Get the scan quota: allocated and consumed. */
  'aisec-redteam-metering-quota': {
    args: Record<string, never>;
    outputs: {
      'AiSec.RedTeamQuota': {
        static: {
          /** Number of static scans that are allocated. */
          allocated: number | null;
          /** Number of static scans that are consumed. */
          consumed: number | null;
          /** Whether static scans are unlimited. */
          unlimited: boolean | null;
        };
        dynamic: {
          /** Number of dynamic scans that are allocated. */
          allocated: number | null;
          /** Number of dynamic scans that are consumed. */
          consumed: number | null;
          /** Whether dynamic scans are unlimited. */
          unlimited: boolean | null;
        };
        custom: {
          /** Number of custom scans that are allocated. */
          allocated: number | null;
          /** Number of custom scans that are consumed. */
          consumed: number | null;
          /** Whether custom scans are unlimited. */
          unlimited: boolean | null;
        };
      };
    };
  };
  /** Count the targets, in total and by type. */
  'aisec-redteam-dashboard-overview': {
    args: Record<string, never>;
    outputs: {
      'AiSec.RedTeamDashboardOverview': {
        /** Number of targets. */
        total_targets: number | null;
        /** Targets by type. */
        targets_by_type: ({
          /** Name of the type. */
          name: string | null;
          /** Number of scans or targets. */
          count: number | null;
        })[] | null;
      };
    };
  };
  /** Create devices of a tenant instance. */
  'aisec-redteam-devices-create': {
    args: {
      /** Identifier of the tenant. */
      tenant_id: string;
      /** Serial number of a single device. */
      serial_number?: string | undefined;
      /** Name of the device. */
      device_name?: string | undefined;
      /** Model of the device. */
      model?: string | undefined;
      /** Stock keeping unit (SKU) of the device. */
      sku?: string | undefined;
      /** Type of the device. */
      device_type?: string | undefined;
      /** Type of the asset. */
      asset_type?: string | undefined;
      /** Identifier of the support account. */
      support_account_id?: string | undefined;
      /** Devices, at most 5: a JSON array of objects with serial_number and the optional members. */
      devices?: readonly ({
        serial_number: string;
        [member: string]: unknown;
      })[] | string | undefined;
      /** Creator of the devices. */
      created_by?: string | undefined;
      /** Identifier of the application; by default that of the instance. */
      app_id?: string | undefined;
      /** Region of the devices; by default that of the instance. */
      region?: string | undefined;
      /** Tenant services group of the devices, a string of digits; by default that of the instance. */
      tsg_id?: string | undefined;
    };
    outputs: {
      'AiSec.RedTeamDeviceCreate': ({
        /** Serial number of the device. */
        serial_number: string | null;
        /** Result: CREATED, UPDATED or DELETED if it succeeded. */
        status: string | null;
        /** Error of this device, if it failed. */
        error: string | null;
      })[];
    };
  };
  /** Update devices of a tenant instance. */
  'aisec-redteam-devices-update': {
    args: {
      /** Identifier of the tenant. */
      tenant_id: string;
      /** Serial number of a single device. */
      serial_number?: string | undefined;
      /** Name of the device. */
      device_name?: string | undefined;
      /** Model of the device. */
      model?: string | undefined;
      /** Stock keeping unit (SKU) of the device. */
      sku?: string | undefined;
      /** Type of the device. */
      device_type?: string | undefined;
      /** Type of the asset. */
      asset_type?: string | undefined;
      /** Identifier of the support account. */
      support_account_id?: string | undefined;
      /** Devices, at most 5: a JSON array of objects with serial_number and the optional members. */
      devices?: readonly ({
        serial_number: string;
        [member: string]: unknown;
      })[] | string | undefined;
      /** Creator of the devices. */
      created_by?: string | undefined;
      /** Identifier of the application; by default that of the instance. */
      app_id?: string | undefined;
      /** Region of the devices; by default that of the instance. */
      region?: string | undefined;
      /** Tenant services group of the devices, a string of digits; by default that of the instance. */
      tsg_id?: string | undefined;
    };
    outputs: {
      'AiSec.RedTeamDeviceUpdate': ({
        /** Serial number of the device. */
        serial_number: string | null;
        /** Result: CREATED, UPDATED or DELETED if it succeeded. */
        status: string | null;
        /** Error of this device, if it failed. */
        error: string | null;
      })[];
    };
  };
  /** Delete devices of a tenant instance permanently. */
  'aisec-redteam-devices-delete': {
    args: {
      /** Identifier of the tenant. */
      tenant_id: string;
      /** Serial numbers of the devices, at most 5. */
      serial_numbers: readonly (string)[] | string;
    };
    outputs: {
      'AiSec.RedTeamDeviceDelete': ({
        /** Serial number of the device. */
        serial_number: string | null;
        /** Result: CREATED, UPDATED or DELETED if it succeeded. */
        status: string | null;
        /** Error of this device, if it failed. */
        error: string | null;
      })[];
    };
  };
  /** Create a tenant instance. */
  'aisec-redteam-instances-create': {
    args: {
      /** Tenant services group of the instance, a string of digits. */
      tsg_id: string;
      /** Identifier of the tenant. */
      tenant_id: string;
      /** Identifier of the application. */
      app_id: string;
      /** Region of the instance. */
      region: string;
      /** Name of the instance. */
      tenant_instance_name?: string | undefined;
      /** Identifier of the support account. */
      support_account_id?: string | undefined;
      /** Name of the support account. */
      support_account_name?: string | undefined;
      /** Creator of the instance. */
      created_by?: string | undefined;
      /** Mark the instance as internal. */
      internal?: Flag | undefined;
      /** Manage access to the instance centrally. */
      iam_controlled?: Flag | undefined;
      /** Region of the platform. */
      platform_region?: string | undefined;
      /** Identifier of the tenant at the customer support portal. */
      csp_tenant_id?: string | undefined;
      /** Further details, as a JSON object. */
      extra?: object | string | undefined;
    };
    outputs: {
      'AiSec.RedTeamInstanceCreate': {
        /** Identifier of the tenant. */
        tenant_id: string | null;
        /** Tenant services group of the instance. */
        tsg_id: string | null;
        /** Application of the instance. */
        app_id: string | null;
        /** Whether the operation succeeded. */
        is_success: boolean | null;
      };
    };
  };
  /** Get a tenant instance. */
  'aisec-redteam-instances-get': {
    args: {
      /** Identifier of the tenant. */
      tenant_id: string;
    };
    outputs: {
      'AiSec.RedTeamInstanceGet': {
        /** Identifier of the tenant. */
        tenant_id: string | null;
        /** Tenant services group of the instance. */
        tsg_id: string | null;
        /** Application of the instance. */
        app_id: string | null;
        /** Region of the instance. */
        region: string | null;
        /** Name of the instance. */
        tenant_instance_name: string | null;
        /** Identifier of the support account. */
        support_account_id: string | null;
        /** Name of the support account. */
        support_account_name: string | null;
        /** Who created the instance. */
        created_by: string | null;
        /** Whether the instance is internal. */
        internal: boolean | null;
        /** Deployment profiles of the instance, with their authorization codes. */
        deployment_profiles: unknown;
      };
    };
  };
  /** Update a tenant instance; omitted fields keep their values if the service returns them. */
  'aisec-redteam-instances-update': {
    args: {
      /** Identifier of the tenant. */
      tenant_id: string;
      /** Tenant services group of the instance, a string of digits. */
      tsg_id?: string | undefined;
      /** Identifier of the application. */
      app_id?: string | undefined;
      /** Region of the instance. */
      region?: string | undefined;
      /** Name of the instance. */
      tenant_instance_name?: string | undefined;
      /** Identifier of the support account. */
      support_account_id?: string | undefined;
      /** Name of the support account. */
      support_account_name?: string | undefined;
      /** Creator of the instance. */
      created_by?: string | undefined;
      /** Mark the instance as internal. */
      internal?: Flag | undefined;
      /** Manage access to the instance centrally. */
      iam_controlled?: Flag | undefined;
      /** Region of the platform. */
      platform_region?: string | undefined;
      /** Identifier of the tenant at the customer support portal. */
      csp_tenant_id?: string | undefined;
      /** Further details, as a JSON object. */
      extra?: object | string | undefined;
    };
    outputs: {
      'AiSec.RedTeamInstanceUpdate': {
        /** Identifier of the tenant. */
        tenant_id: string | null;
        /** Tenant services group of the instance. */
        tsg_id: string | null;
        /** Application of the instance. */
        app_id: string | null;
        /** Whether the operation succeeded. */
        is_success: boolean | null;
      };
    };
  };
  /** Delete a tenant instance permanently. */
  'aisec-redteam-instances-delete': {
    args: {
      /** Identifier of the tenant. */
      tenant_id: string;
    };
    outputs: {
      'AiSec.RedTeamInstanceDelete': {
        /** Identifier of the tenant. */
        tenant_id: string | null;
        /** Tenant services group of the instance. */
        tsg_id: string | null;
        /** Application of the instance. */
        app_id: string | null;
        /** Whether the operation succeeded. */
        is_success: boolean | null;
      };
    };
  };
  /** List the languages that scans may use. */
  'aisec-redteam-languages-list': {
    args: {
      /** Query the management plane instead of the data plane. */
      use_management?: Flag | undefined;
    };
    outputs: {
      'AiSec.RedTeamLanguages': {
        /** Which plane answered: data or management. */
        plane: string | null;
        /** Whether scans may use other languages. */
        multilingual_enabled: boolean | null;
        /** Job types that may use other languages, such as STATIC, DYNAMIC or CUSTOM. */
        supported_job_types: unknown;
        /** The languages, each with code and name. */
        languages: ({
          /** Code of the language. */
          code: string | null;
          /** Name of the language. */
          name: string | null;
        })[] | null;
      };
    };
  };
  /** Get the state of the licence agreement. */
  'aisec-redteam-eula-status': {
    args: Record<string, never>;
    outputs: {
      'AiSec.RedTeamEula': {
        /** Whether the agreement is accepted. */
        is_accepted: boolean | null;
        /** When it was accepted. */
        accepted_at: string | null;
        /** Identifier of the user who accepted it. */
        accepted_by_user_id: string | null;
        /** Identifier of the acceptance. */
        uuid: string | null;
      };
    };
  };
  /** Get the full text of the licence agreement. */
  'aisec-redteam-eula-content': {
    args: Record<string, never>;
    outputs: {
      'AiSec.RedTeamEulaContent': {
        /** Length of the text, in characters. */
        content_length: number | null;
        /** Full text of the agreement, in markdown. */
        content: string | null;
      };
    };
  };
  /** Accept the current licence agreement, which scans require. */
  'aisec-redteam-eula-accept': {
    args: {
      /** Time of the acceptance, in ISO 8601; by default the time of the service. */
      accepted_at?: string | undefined;
    };
    outputs: {
      'AiSec.RedTeamEula': {
        /** Whether the agreement is accepted. */
        is_accepted: boolean | null;
        /** When it was accepted. */
        accepted_at: string | null;
        /** Identifier of the user who accepted it. */
        accepted_by_user_id: string | null;
        /** Identifier of the acceptance. */
        uuid: string | null;
      };
    };
  };
  /** List the network channels. */
  'aisec-redteam-network-channels-list': {
    args: {
      /** Maximum number of records to return. */
      limit?: Count | undefined;
      /** Number of records to skip before the first one. */
      skip?: Count | undefined;
      /** Return only network channels whose name contains this text. */
      search?: string | undefined;
      /** Return only network channels in one of these states. */
      status?: readonly ('ONLINE' | 'OFFLINE' | 'DRAFT')[] | string | undefined;
      /** Return all network channels if the filters match none. */
      include_all_if_empty?: Flag | undefined;
      /** Number of records to skip before the first one. */
      offset?: Count | undefined;
    };
    outputs: {
      'AiSec.RedTeamNetworkChannel': ({
        /** Identifier of the network channel. */
        uuid: string | null;
        /** Name of the network channel. */
        name: string | null;
        /** ONLINE, OFFLINE, or DRAFT while no client has ever connected. */
        status: string | null;
        /** What the network channel is for. */
        description: string | null;
        /** Number of clients that are connected. */
        connected_clients_count: number | null;
        /** Number of connected clients that are outdated. */
        outdated_clients_count: number | null;
        /** Oldest version of a connected client. */
        oldest_client_version: string | null;
        /** When the network channel was last online. */
        last_online_at: string | null;
        /** Identifier of the user who created the network channel. */
        added_by: string | null;
        /** When the network channel was created. */
        created_at: string | null;
        /** When the network channel was last changed. */
        updated_at: string | null;
        /** Feature flags, by name. */
        features: unknown;
      })[];
    };
  };
  /** Create a network channel, as a DRAFT. */
  'aisec-redteam-network-channels-create': {
    args: {
      /** Name of the network channel, 1 to 64 characters. */
      name: string;
      /** Description of the network channel. */
      description?: string | undefined;
    };
    outputs: {
      'AiSec.RedTeamNetworkChannelCreate': {
        /** Identifier of the network channel. */
        uuid: string | null;
        /** Name of the network channel. */
        name: string | null;
        /** What the network channel is for. */
        description: string | null;
        /** ONLINE, OFFLINE, or DRAFT while no client has ever connected. */
        status: string | null;
        /** Identifier of the user who created the network channel. */
        added_by: string | null;
        /** When the network channel was created. */
        created_at: string | null;
        /** When the network channel was last changed. */
        updated_at: string | null;
      };
    };
  };
  /** Get the number of network channels, and where their client is available. */
  'aisec-redteam-network-channels-stats': {
    args: Record<string, never>;
    outputs: {
      'AiSec.RedTeamNetworkChannelStats': {
        /** Number of network channels that are online. */
        online_channels: number | null;
        /** Number of network channels. */
        total_channels: number | null;
        /** Address that clients connect to. */
        network_channels_server_domain: string | null;
        /** Registry of the client image. */
        container_registry: string | null;
        /** Path of the client image in the registry. */
        container_image: string | null;
        /** Path of the deployment chart of the client in the registry. */
        chart: string | null;
        /** Current version of the client. */
        client_version: string | null;
      };
    };
  };
  /** Get a network channel. */
  'aisec-redteam-network-channels-get': {
    args: {
      /** Identifier of the network channel. */
      channel_id: string;
    };
    outputs: {
      'AiSec.RedTeamNetworkChannel': {
        /** Identifier of the network channel. */
        uuid: string | null;
        /** Name of the network channel. */
        name: string | null;
        /** ONLINE, OFFLINE, or DRAFT while no client has ever connected. */
        status: string | null;
        /** What the network channel is for. */
        description: string | null;
        /** Number of clients that are connected. */
        connected_clients_count: number | null;
        /** Number of connected clients that are outdated. */
        outdated_clients_count: number | null;
        /** Oldest version of a connected client. */
        oldest_client_version: string | null;
        /** When the network channel was last online. */
        last_online_at: string | null;
        /** Identifier of the user who created the network channel. */
        added_by: string | null;
        /** When the network channel was created. */
        created_at: string | null;
        /** When the network channel was last changed. */
        updated_at: string | null;
        /** Feature flags, by name. */
        features: unknown;
      };
    };
  };
  /** Change the name or the description of a network channel; omitted fields keep their values. */
  'aisec-redteam-network-channels-update': {
    args: {
      /** Identifier of the network channel. */
      channel_id: string;
      /** Name of the network channel, 1 to 64 characters. */
      name?: string | undefined;
      /** Description of the network channel. */
      description?: string | null | undefined;
    };
    outputs: {
      'AiSec.RedTeamNetworkChannelUpdate': {
        /** Identifier of the network channel. */
        uuid: string | null;
        /** Name of the network channel. */
        name: string | null;
        /** What the network channel is for. */
        description: string | null;
        /** ONLINE, OFFLINE, or DRAFT while no client has ever connected. */
        status: string | null;
        /** When the network channel was last changed. */
        updated_at: string | null;
      };
    };
  };
  /** Create a prompt set, without prompts. */
  'aisec-redteam-prompt-sets-create': {
    args: {
      /** Name of the prompt set. */
      name: string;
      /** Description of the prompt set. */
      description?: string | undefined;
      /** Names of the properties that its prompts may have, at most two. */
      property_names?: readonly (string)[] | string | undefined;
    };
    outputs: {
      'AiSec.RedTeamPromptSetCreate': {
        /** Identifier of the prompt set. */
        uuid: string | null;
        /** Name of the prompt set. */
        name: string | null;
        /** Status of the prompt set, such as PENDING, READY or VALIDATED. */
        status: string | null;
        /** Whether scans can use the prompt set. */
        active: boolean | null;
        /** Whether the prompt set is archived. */
        archive: boolean | null;
        /** What the prompt set is for. */
        description: string | null;
        /** Names of the properties that its prompts may have. */
        property_names: unknown;
        /** Prompt counts: total_prompts, active_prompts, inactive_prompts, failed_prompts, validation_prompts. */
        stats: {
          /** Number of active prompts. */
          active_prompts?: number | null;
          /** Number of prompts that failed validation. */
          failed_prompts?: number | null;
          /** Number of inactive prompts. */
          inactive_prompts?: number | null;
          /** Number of prompts. */
          total_prompts?: number | null;
          /** Number of prompts that are being validated. */
          validation_prompts?: number | null;
          [member: string]: unknown;
        } | null;
        /** Identifier of the current version; empty until the prompt set has prompts. */
        version: string | null;
        /** Definitions of the properties. */
        properties: unknown;
        /** When the prompt set was created. */
        created_at: string | null;
        /** When the prompt set was last changed. */
        updated_at: string | null;
        /** Identifier of the user who created the prompt set. */
        created_by_user_id: string | null;
        /** Identifier of the user who changed the prompt set last. */
        updated_by_user_id: string | null;
      };
    };
  };
  /** List the prompt sets. */
  'aisec-redteam-prompt-sets-list': {
    args: {
      /** Maximum number of records to return. */
      limit?: Count | undefined;
      /** Number of records to skip before the first one. */
      skip?: Count | undefined;
      /** Return only prompt sets whose name or description contains this text. */
      search?: string | undefined;
      /** Return only prompt sets with this status. */
      status?: 'READY' | 'PENDING' | 'VALIDATED' | Text | undefined;
      /** Return only active prompt sets (true), or only others (false). */
      active?: Flag | undefined;
      /** Return only archived prompt sets (true), or only others (false, the default of the service). */
      archive?: Flag | undefined;
      /** Number of records to skip before the first one. */
      offset?: Count | undefined;
    };
    outputs: {
      'AiSec.RedTeamPromptSets': ({
        /** Identifier of the prompt set. */
        uuid: string | null;
        /** Name of the prompt set. */
        name: string | null;
        /** Status of the prompt set, such as PENDING, READY or VALIDATED. */
        status: string | null;
        /** Whether scans can use the prompt set. */
        active: boolean | null;
        /** Whether the prompt set is archived. */
        archive: boolean | null;
        /** What the prompt set is for. */
        description: string | null;
        /** Names of the properties that its prompts may have. */
        property_names: unknown;
        /** Prompt counts: total_prompts, active_prompts, inactive_prompts, failed_prompts, validation_prompts. */
        stats: {
          /** Number of active prompts. */
          active_prompts?: number | null;
          /** Number of prompts that failed validation. */
          failed_prompts?: number | null;
          /** Number of inactive prompts. */
          inactive_prompts?: number | null;
          /** Number of prompts. */
          total_prompts?: number | null;
          /** Number of prompts that are being validated. */
          validation_prompts?: number | null;
          [member: string]: unknown;
        } | null;
        /** Identifier of the current version; empty until the prompt set has prompts. */
        version: string | null;
        /** Definitions of the properties. */
        properties: unknown;
        /** When the prompt set was created. */
        created_at: string | null;
        /** When the prompt set was last changed. */
        updated_at: string | null;
        /** Identifier of the user who created the prompt set. */
        created_by_user_id: string | null;
        /** Identifier of the user who changed the prompt set last. */
        updated_by_user_id: string | null;
      })[];
    };
  };
  /** Get a prompt set. */
  'aisec-redteam-prompt-sets-get': {
    args: {
      /** Identifier of the prompt set. */
      uuid: string;
    };
    outputs: {
      'AiSec.RedTeamPromptSetGet': {
        /** Identifier of the prompt set. */
        uuid: string | null;
        /** Name of the prompt set. */
        name: string | null;
        /** Status of the prompt set, such as PENDING, READY or VALIDATED. */
        status: string | null;
        /** Whether scans can use the prompt set. */
        active: boolean | null;
        /** Whether the prompt set is archived. */
        archive: boolean | null;
        /** What the prompt set is for. */
        description: string | null;
        /** Names of the properties that its prompts may have. */
        property_names: unknown;
        /** Prompt counts: total_prompts, active_prompts, inactive_prompts, failed_prompts, validation_prompts. */
        stats: {
          /** Number of active prompts. */
          active_prompts?: number | null;
          /** Number of prompts that failed validation. */
          failed_prompts?: number | null;
          /** Number of inactive prompts. */
          inactive_prompts?: number | null;
          /** Number of prompts. */
          total_prompts?: number | null;
          /** Number of prompts that are being validated. */
          validation_prompts?: number | null;
          [member: string]: unknown;
        } | null;
        /** Identifier of the current version; empty until the prompt set has prompts. */
        version: string | null;
        /** Definitions of the properties. */
        properties: unknown;
        /** When the prompt set was created. */
        created_at: string | null;
        /** When the prompt set was last changed. */
        updated_at: string | null;
        /** Identifier of the user who created the prompt set. */
        created_by_user_id: string | null;
        /** Identifier of the user who changed the prompt set last. */
        updated_by_user_id: string | null;
        /** Further details. */
        extra_info: unknown;
      };
    };
  };
  /** Update a prompt set; omitted fields keep their values. */
  'aisec-redteam-prompt-sets-update': {
    args: {
      /** Identifier of the prompt set. */
      uuid: string;
      /** Name of the prompt set. */
      name?: string | undefined;
      /** Description of the prompt set. */
      description?: string | null | undefined;
      /** Names of the properties that its prompts may have, at most two; [] for none. */
      property_names?: readonly (string)[] | string | undefined;
      /** Archive the prompt set (true), or restore it (false). */
      archive?: Flag | undefined;
    };
    outputs: {
      'AiSec.RedTeamPromptSetUpdate': {
        /** Identifier of the prompt set. */
        uuid: string | null;
        /** Name of the prompt set. */
        name: string | null;
        /** Status of the prompt set, such as PENDING, READY or VALIDATED. */
        status: string | null;
        /** Whether scans can use the prompt set. */
        active: boolean | null;
        /** Whether the prompt set is archived. */
        archive: boolean | null;
        /** What the prompt set is for. */
        description: string | null;
        /** Names of the properties that its prompts may have. */
        property_names: unknown;
        /** Prompt counts: total_prompts, active_prompts, inactive_prompts, failed_prompts, validation_prompts. */
        stats: {
          /** Number of active prompts. */
          active_prompts?: number | null;
          /** Number of prompts that failed validation. */
          failed_prompts?: number | null;
          /** Number of inactive prompts. */
          inactive_prompts?: number | null;
          /** Number of prompts. */
          total_prompts?: number | null;
          /** Number of prompts that are being validated. */
          validation_prompts?: number | null;
          [member: string]: unknown;
        } | null;
        /** Identifier of the current version; empty until the prompt set has prompts. */
        version: string | null;
        /** Definitions of the properties. */
        properties: unknown;
        /** When the prompt set was created. */
        created_at: string | null;
        /** When the prompt set was last changed. */
        updated_at: string | null;
        /** Identifier of the user who created the prompt set. */
        created_by_user_id: string | null;
        /** Identifier of the user who changed the prompt set last. */
        updated_by_user_id: string | null;
      };
    };
  };
  /** Archive a prompt set, or restore an archived one. */
  'aisec-redteam-prompt-sets-archive': {
    args: {
      /** Identifier of the prompt set. */
      uuid: string;
      /** Archive the prompt set (true), or restore it (false). */
      archive: Flag;
    };
    outputs: {
      'AiSec.RedTeamPromptSetArchive': {
        /** Identifier of the prompt set. */
        uuid: string | null;
        /** Name of the prompt set. */
        name: string | null;
        /** Status of the prompt set, such as PENDING, READY or VALIDATED. */
        status: string | null;
        /** Whether scans can use the prompt set. */
        active: boolean | null;
        /** Whether the prompt set is archived. */
        archive: boolean | null;
        /** What the prompt set is for. */
        description: string | null;
        /** Names of the properties that its prompts may have. */
        property_names: unknown;
        /** Prompt counts: total_prompts, active_prompts, inactive_prompts, failed_prompts, validation_prompts. */
        stats: {
          /** Number of active prompts. */
          active_prompts?: number | null;
          /** Number of prompts that failed validation. */
          failed_prompts?: number | null;
          /** Number of inactive prompts. */
          inactive_prompts?: number | null;
          /** Number of prompts. */
          total_prompts?: number | null;
          /** Number of prompts that are being validated. */
          validation_prompts?: number | null;
          [member: string]: unknown;
        } | null;
        /** Identifier of the current version; empty until the prompt set has prompts. */
        version: string | null;
        /** Definitions of the properties. */
        properties: unknown;
        /** When the prompt set was created. */
        created_at: string | null;
        /** When the prompt set was last changed. */
        updated_at: string | null;
        /** Identifier of the user who created the prompt set. */
        created_by_user_id: string | null;
        /** Identifier of the user who changed the prompt set last. */
        updated_by_user_id: string | null;
      };
    };
  };
  /** Download a CSV template for the prompts of a prompt set: the header and example rows. */
  'aisec-redteam-prompt-sets-download': {
    args: {
      /** Identifier of the prompt set. */
      uuid: string;
    };
    outputs: Record<string, never>;
  };
  /** Add the prompts of a CSV file to a prompt set; they are validated before scans use them. */
  'aisec-redteam-prompt-sets-upload': {
    args: {
      /** Identifier of the prompt set. */
      uuid: string;
      /** CSV file with a column prompt and optional columns for goal and properties. */
      entryID: string;
    };
    outputs: {
      'AiSec.RedTeamPromptSetUpload': {
        /** Identifier of the prompt set. */
        prompt_set_uuid: string | null;
        /** Name of the file that was uploaded. */
        file_name: string | null;
        /** Message of the service. */
        message: string | null;
        /** HTTP status of the response. */
        status: number | null;
      };
    };
  };
  /** Get the reference of a prompt set for scans: its current version and status. */
  'aisec-redteam-prompt-sets-reference': {
    args: {
      /** Identifier of the prompt set. */
      uuid: string;
    };
    outputs: {
      'AiSec.RedTeamPromptSetReference': {
        /** Identifier of the prompt set. */
        uuid: string | null;
        /** Name of the prompt set. */
        name: string | null;
        /** Status of the prompt set, such as PENDING, READY or VALIDATED. */
        status: string | null;
        /** Whether scans can use the prompt set. */
        active: boolean | null;
        /** Identifier of the current version; empty until the prompt set has prompts. */
        version: string | null;
        /** When the prompt set was created. */
        created_at: string | null;
        /** When the prompt set was last changed. */
        updated_at: string | null;
        /** Tenant services group of the prompt set. */
        tsg_id: string | null;
      };
    };
  };
  /** Get a version of a prompt set. */
  'aisec-redteam-prompt-sets-version-info': {
    args: {
      /** Identifier of the prompt set. */
      uuid: string;
      /** Identifier of the version; by default the latest. */
      version?: string | undefined;
    };
    outputs: {
      'AiSec.RedTeamPromptSetVersionInfo': {
        /** Identifier of the prompt set. */
        uuid: string | null;
        /** Identifier of the version. */
        version: string | null;
        /** Whether it is the latest version. */
        is_latest: boolean | null;
        /** Status of the prompt set when the version was created. */
        status: string | null;
        stats: {
          /** Number of prompts in the version. */
          total_prompts: number | null;
          /** Number of active prompts in the version. */
          active_prompts: number | null;
          /** Number of inactive prompts in the version. */
          inactive_prompts: number | null;
        };
        /** When the version was created. */
        snapshot_created_at: string | null;
      };
    };
  };
  /** List the prompt sets that scans can use: active ones that have a version. */
  'aisec-redteam-prompt-sets-active-list': {
    args: {
      /** Maximum number of records to return. */
      limit?: Count | undefined;
      /** Number of records to skip before the first one. */
      offset?: Count | undefined;
    };
    outputs: {
      'AiSec.RedTeamPromptSetActive': ({
        /** Identifier of the prompt set. */
        uuid: string | null;
        /** Name of the prompt set. */
        name: string | null;
        /** Status of the prompt set, such as PENDING, READY or VALIDATED. */
        status: string | null;
        /** Whether scans can use the prompt set. */
        active: boolean | null;
        /** Identifier of the current version; empty until the prompt set has prompts. */
        version: string | null;
        /** When the prompt set was created. */
        created_at: string | null;
        /** When the prompt set was last changed. */
        updated_at: string | null;
      })[];
    };
  };
  /** Add a prompt to a prompt set. */
  'aisec-redteam-prompts-create': {
    args: {
      /** Identifier of the prompt set. */
      prompt_set_uuid: string;
      /** Text of the prompt. */
      prompt: string;
      /** Goal of the prompt. Without a goal the service generates one. */
      goal?: string | undefined;
      /** Properties of the prompt, as a JSON object of names and texts; the names come from its prompt set. */
      properties?: object | string | undefined;
    };
    outputs: {
      'AiSec.RedTeamPromptCreate': {
        /** Identifier of the prompt. */
        uuid: string | null;
        /** Text of the prompt. */
        prompt: string | null;
        /** Goal of the prompt. */
        goal: string | null;
        /** READY, or PENDING while the prompt is validated. */
        status: string | null;
        /** Whether scans use the prompt. */
        active: boolean | null;
        /** Properties of the prompt: names and values. */
        properties: unknown;
        /** Whether a user wrote the goal. */
        user_defined_goal: boolean | null;
        /** When the prompt was last changed. */
        updated_at: string | null;
        /** When the prompt was created. */
        created_at: string | null;
        /** Identifier of the prompt set. */
        prompt_set_id: string | null;
      };
    };
  };
  /** List the prompts of a prompt set. */
  'aisec-redteam-prompts-list': {
    args: {
      /** Identifier of the prompt set. */
      prompt_set_uuid: string;
      /** Maximum number of records to return. */
      limit?: Count | undefined;
      /** Number of records to skip before the first one. */
      skip?: Count | undefined;
      /** Return only prompts that contain this text. */
      search?: string | undefined;
      /** Return only prompts with this status. */
      status?: 'READY' | 'PENDING' | Text | undefined;
      /** Return only active prompts (true), or only others (false). */
      active?: Flag | undefined;
      /** Number of records to skip before the first one. */
      offset?: Count | undefined;
    };
    outputs: {
      'AiSec.RedTeamPrompts': ({
        /** Identifier of the prompt. */
        uuid: string | null;
        /** Text of the prompt. */
        prompt: string | null;
        /** Goal of the prompt. */
        goal: string | null;
        /** READY, or PENDING while the prompt is validated. */
        status: string | null;
        /** Whether scans use the prompt. */
        active: boolean | null;
        /** Properties of the prompt: names and values. */
        properties: unknown;
        /** Whether a user wrote the goal. */
        user_defined_goal: boolean | null;
        /** When the prompt was last changed. */
        updated_at: string | null;
        /** When the prompt was created. */
        created_at: string | null;
        /** Identifier of the prompt set. */
        prompt_set_id: string | null;
      })[];
    };
  };
  /** Get a prompt of a prompt set. */
  'aisec-redteam-prompts-get': {
    args: {
      /** Identifier of the prompt set. */
      prompt_set_uuid: string;
      /** Identifier of the prompt. */
      prompt_uuid: string;
    };
    outputs: {
      'AiSec.RedTeamPromptGet': {
        /** Identifier of the prompt. */
        uuid: string | null;
        /** Text of the prompt. */
        prompt: string | null;
        /** Goal of the prompt. */
        goal: string | null;
        /** READY, or PENDING while the prompt is validated. */
        status: string | null;
        /** Whether scans use the prompt. */
        active: boolean | null;
        /** Properties of the prompt: names and values. */
        properties: unknown;
        /** Whether a user wrote the goal. */
        user_defined_goal: boolean | null;
        /** When the prompt was last changed. */
        updated_at: string | null;
        /** When the prompt was created. */
        created_at: string | null;
        /** Identifier of the prompt set. */
        prompt_set_id: string | null;
        /** The properties as a list of names and values. */
        property_assignments: unknown;
        /** Category in which answers to the prompt are judged. */
        detector_category: string | null;
        /** Severity if the attack succeeds. */
        severity: string | null;
        /** Further details. */
        extra_info: unknown;
      };
    };
  };
  /** Update a prompt of a prompt set; omitted fields keep their values. */
  'aisec-redteam-prompts-update': {
    args: {
      /** Identifier of the prompt set. */
      prompt_set_uuid: string;
      /** Identifier of the prompt. */
      prompt_uuid: string;
      /** Text of the prompt. */
      prompt?: string | undefined;
      /** Goal of the prompt. */
      goal?: string | null | undefined;
      /** Properties of the prompt, as a JSON object of names and texts; the names come from its prompt set. */
      properties?: object | string | undefined;
    };
    outputs: {
      'AiSec.RedTeamPromptUpdate': {
        /** Identifier of the prompt. */
        uuid: string | null;
        /** Text of the prompt. */
        prompt: string | null;
        /** Goal of the prompt. */
        goal: string | null;
        /** READY, or PENDING while the prompt is validated. */
        status: string | null;
        /** Whether scans use the prompt. */
        active: boolean | null;
        /** Properties of the prompt: names and values. */
        properties: unknown;
        /** Whether a user wrote the goal. */
        user_defined_goal: boolean | null;
        /** When the prompt was last changed. */
        updated_at: string | null;
        /** When the prompt was created. */
        created_at: string | null;
        /** Identifier of the prompt set. */
        prompt_set_id: string | null;
      };
    };
  };
  /** Delete a prompt of a prompt set permanently. */
  'aisec-redteam-prompts-delete': {
    args: {
      /** Identifier of the prompt set. */
      prompt_set_uuid: string;
      /** Identifier of the prompt. */
      prompt_uuid: string;
    };
    outputs: {
      'AiSec.RedTeamPromptDeleted': {
        /** Identifier of the prompt. */
        prompt_uuid: string | null;
        /** Identifier of the prompt set. */
        prompt_set_uuid: string | null;
        /** Result of the deletion. */
        status: string | null;
        /** Message of the service. */
        message: string | null;
      };
    };
  };
  /** List the names of the properties that prompts may have. */
  'aisec-redteam-properties-list': {
    args: Record<string, never>;
    outputs: {
      'AiSec.RedTeamProperty': unknown;
    };
  };
  /** Get the values of one or more properties. */
  'aisec-redteam-properties-values': {
    args: {
      /** Name of the property. */
      property_name?: string | undefined;
      /** Names of several properties; a JSON array if a name contains a comma. */
      property_names?: readonly (string)[] | string | undefined;
    };
    outputs: {
      'AiSec.RedTeamPropertyValue': ({
        /** Name of the property. */
        name: string | null;
        /** Values of the property. */
        values: unknown;
      })[];
    };
  };
  /** Create a property, without values. */
  'aisec-redteam-properties-create': {
    args: {
      /** Name of the property. */
      name: string;
    };
    outputs: {
      'AiSec.RedTeamPropertyCreate': {
        /** Name of the property. */
        name: string | null;
        /** Message of the service. */
        message: string | null;
        /** HTTP status of the response. */
        status: number | null;
      };
    };
  };
  /** Add a value to a property. */
  'aisec-redteam-properties-add-value': {
    args: {
      /** Name of the property. */
      property_name: string;
      /** Value to add to the property. */
      property_value: string;
    };
    outputs: {
      'AiSec.RedTeamPropertyValueCreate': {
        /** Name of the property. */
        property_name: string | null;
        /** Value of the property. */
        property_value: string | null;
        /** Message of the service. */
        message: string | null;
        /** HTTP status of the response. */
        status: number | null;
      };
    };
  };
  /** Get the credentials for pulling container images of the scanner; the service creates them if there are none. */
  'aisec-redteam-registry-credentials-get': {
    args: Record<string, never>;
    outputs: {
      'AiSec.RedTeamRegistryCredentials': {
        /** Token that pulls container images of the scanner. */
        token: string | null;
        /** When the token expires. */
        expiry: string | null;
      };
    };
  };
  /** List the attacks of a static red-team scan. */
  'aisec-redteam-report-attacks-list': {
    args: {
      /** Identifier of the scan. */
      job_id: string;
      /** Return only attacks with this result: SUCCESSFUL, FAILED or ERROR. */
      status?: 'SUCCESSFUL' | 'FAILED' | 'ERROR' | Text | undefined;
      /** Return only attacks of this severity. */
      severity?: 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL' | Text | undefined;
      /** Return only attacks of this category. */
      category?: 'SECURITY' | 'SAFETY' | 'COMPLIANCE' | 'BRAND' | Text | undefined;
      /** Return only attacks of this sub-category, such as JAILBREAK. */
      sub_category?: string | undefined;
      /** Return only attacks of this type. */
      attack_type?: 'NORMAL' | 'CUSTOM' | Text | undefined;
      /** Return only attacks that succeeded (true), or only others (false). */
      threat?: Flag | undefined;
      /** Maximum number of records to return. */
      limit?: Count | undefined;
      /** Number of records to skip before the first one. */
      skip?: Count | undefined;
      /** Return only attacks whose prompt or category contains this text. */
      search?: string | undefined;
      /** Number of records to skip before the first one. */
      offset?: Count | undefined;
    };
    outputs: {
      'AiSec.RedTeamAttack': ({
        /** Identifier of the attack. */
        uuid: string | null;
        /** LOW, MEDIUM, HIGH or CRITICAL. */
        severity: string | null;
        /** Name of the category. */
        category_display_name: string | null;
        /** Name of the sub-category. */
        sub_category_display_name: string | null;
        /** Whether the attack succeeded. */
        threat: boolean | null;
        /** Attack success rate, in percent. */
        asr: number | null;
        /** Whether the attack is a conversation of several turns. */
        multi_turn: boolean | null;
        /** Prompt of the attack. */
        prompt: string | null;
        /** Processing state of the attack, such as COMPLETED or FAILED. */
        status: string | null;
        /** Identifier of the category: SECURITY, SAFETY, COMPLIANCE or BRAND. */
        category: string | null;
        /** Identifier of the sub-category, such as JAILBREAK. */
        sub_category: string | null;
        /** NORMAL or CUSTOM. */
        attack_type: string | null;
        /** Whether a user has marked it as safe. */
        marked_safe: boolean | null;
        /** Identifier of the scan. */
        job_id: string | null;
        /** Identifier of the target. */
        target_id: string | null;
      })[];
    };
  };
  /** Get an attack with the responses of the target. */
  'aisec-redteam-report-attack-get': {
    args: {
      /** Identifier of the scan. */
      job_id: string;
      /** Identifier of the attack. */
      attack_id: string;
    };
    outputs: {
      'AiSec.RedTeamAttack': {
        /** Identifier of the attack. */
        uuid: string | null;
        /** LOW, MEDIUM, HIGH or CRITICAL. */
        severity: string | null;
        /** Name of the category. */
        category_display_name: string | null;
        /** Name of the sub-category. */
        sub_category_display_name: string | null;
        /** Whether the attack succeeded. */
        threat: boolean | null;
        /** Attack success rate, in percent. */
        asr: number | null;
        /** Whether the attack is a conversation of several turns. */
        multi_turn: boolean | null;
        /** Prompt of the attack. */
        prompt: string | null;
        /** Processing state of the attack, such as COMPLETED or FAILED. */
        status: string | null;
        /** Identifier of the category: SECURITY, SAFETY, COMPLIANCE or BRAND. */
        category: string | null;
        /** Identifier of the sub-category, such as JAILBREAK. */
        sub_category: string | null;
        /** NORMAL or CUSTOM. */
        attack_type: string | null;
        /** Whether a user has marked it as safe. */
        marked_safe: boolean | null;
        /** Identifier of the scan. */
        job_id: string | null;
        /** Identifier of the target. */
        target_id: string | null;
        /** Goal of the attack. */
        goal: string | null;
        /** Compliance frameworks that it covers, with their techniques. */
        compliance_frameworks: unknown;
        /** Responses of the target, one for each attempt. */
        outputs: (unknown)[] | null;
      };
    };
  };
  /** Get a multi-turn attack with the responses of the target. */
  'aisec-redteam-report-attack-multi-turn-get': {
    args: {
      /** Identifier of the scan. */
      job_id: string;
      /** Identifier of the attack. */
      attack_id: string;
    };
    outputs: {
      'AiSec.RedTeamAttackMultiTurn': {
        /** Identifier of the attack. */
        uuid: string | null;
        /** LOW, MEDIUM, HIGH or CRITICAL. */
        severity: string | null;
        /** Name of the category. */
        category_display_name: string | null;
        /** Name of the sub-category. */
        sub_category_display_name: string | null;
        /** Whether the attack succeeded. */
        threat: boolean | null;
        /** Attack success rate, in percent. */
        asr: number | null;
        /** Whether the attack is a conversation of several turns. */
        multi_turn: boolean | null;
        /** Prompt of the attack. */
        prompt: string | null;
        /** Processing state of the attack, such as COMPLETED or FAILED. */
        status: string | null;
        /** Identifier of the category: SECURITY, SAFETY, COMPLIANCE or BRAND. */
        category: string | null;
        /** Identifier of the sub-category, such as JAILBREAK. */
        sub_category: string | null;
        /** NORMAL or CUSTOM. */
        attack_type: string | null;
        /** Whether a user has marked it as safe. */
        marked_safe: boolean | null;
        /** Identifier of the scan. */
        job_id: string | null;
        /** Identifier of the target. */
        target_id: string | null;
        /** Goal of the attack. */
        goal: string | null;
        /** Compliance frameworks that it covers, with their techniques. */
        compliance_frameworks: unknown;
        /** Responses of the target in each turn of each conversation. */
        outputs: (unknown)[] | null;
      };
    };
  };
  /** List the goals of a dynamic red-team scan. */
  'aisec-redteam-report-goals-list': {
    args: {
      /** Identifier of the scan. */
      job_id: string;
      /** Return only goals of the agents, or only goals of users. */
      goal_type?: 'AGENT' | 'HUMAN_AUGMENTED' | Text | undefined;
      /** Return only goals with this outcome. */
      status?: 'SUCCESSFUL' | 'FAILED' | 'ERROR' | Text | undefined;
      /** Also return the total number of goals. */
      count?: Flag | undefined;
      /** Maximum number of records to return. */
      limit?: Count | undefined;
      /** Number of records to skip before the first one. */
      skip?: Count | undefined;
      /** Return only goals that contain this text. */
      search?: string | undefined;
      /** Number of records to skip before the first one. */
      offset?: Count | undefined;
    };
    outputs: {
      'AiSec.RedTeamGoal': ({
        /** Identifier of the goal. */
        uuid: string | null;
        /** Goal of the agents. */
        goal: string | null;
        /** Type of the goal, such as BASE or TOOL_MISUSE. */
        goal_type: string | null;
        /** Whether a user defined this goal. */
        custom_goal: boolean | null;
        /** Whether the goal was achieved. */
        threat: boolean | null;
        /** Display text of the goal. */
        goal_to_show: string | null;
        /** Example of a safe response. */
        safe_response: string | null;
        /** Example of a response that achieves the goal. */
        jailbroken_response: string | null;
        /** Version of the goal. */
        version: number | null;
        /** Identifier of the scan. */
        job_id: string | null;
        /** Tenant services group of the scan. */
        tsg_id: string | null;
      })[];
    };
  };
  /** List the streams that pursued a goal of a dynamic red-team scan. */
  'aisec-redteam-report-goal-streams-list': {
    args: {
      /** Identifier of the scan. */
      job_id: string;
      /** Identifier of the goal. */
      goal_id: string;
      /** Maximum number of records to return. */
      limit?: Count | undefined;
      /** Number of records to skip before the first one. */
      skip?: Count | undefined;
      /** Return only streams whose goal, type or first threat contains this text. */
      search?: string | undefined;
      /** Number of records to skip before the first one. */
      offset?: Count | undefined;
    };
    outputs: {
      'AiSec.RedTeamStream': ({
        /** Identifier of the stream. */
        uuid: string | null;
        /** Number of the stream. */
        stream_idx: number | null;
        /** NORMAL or ADVERSARIAL. */
        stream_type: string | null;
        /** Number of turns. */
        iteration: number | null;
        /** Whether the stream achieved its goal. */
        threat: boolean | null;
        /** Whether a user has marked it as safe. */
        marked_safe: boolean | null;
        /** When the stream was last changed. */
        updated_at: string | null;
        /** When the stream began. */
        created_at: string | null;
        /** Identifier of the goal. */
        goal_id: string | null;
        /** Identifier of the scan. */
        job_id: string | null;
        /** Identifier of the target. */
        target_id: string | null;
        /** Tenant services group of the scan. */
        tsg_id: string | null;
      })[];
    };
  };
  /** Get a stream with all its turns. */
  'aisec-redteam-report-stream-get': {
    args: {
      /** Identifier of the stream. */
      stream_id: string;
    };
    outputs: {
      'AiSec.RedTeamStream': {
        /** Identifier of the stream. */
        uuid: string | null;
        /** Number of the stream. */
        stream_idx: number | null;
        /** NORMAL or ADVERSARIAL. */
        stream_type: string | null;
        /** Number of turns. */
        iteration: number | null;
        /** Whether the stream achieved its goal. */
        threat: boolean | null;
        /** Whether a user has marked it as safe. */
        marked_safe: boolean | null;
        /** When the stream was last changed. */
        updated_at: string | null;
        /** When the stream began. */
        created_at: string | null;
        /** Identifier of the goal. */
        goal_id: string | null;
        /** Identifier of the scan. */
        job_id: string | null;
        /** Identifier of the target. */
        target_id: string | null;
        /** Tenant services group of the scan. */
        tsg_id: string | null;
        /** First turn in which the target gave in. */
        first_threat_iteration: unknown;
        /** All turns. */
        iterations: (unknown)[] | null;
      };
    };
  };
  /** Get the report of a red-team scan. */
  'aisec-redteam-report-get': {
    args: {
      /** Identifier of the scan. */
      job_id: string;
      /** Type of the scan; the type that the scan itself reports takes precedence. */
      job_type?: 'STATIC' | 'DYNAMIC' | 'CUSTOM' | Text | undefined;
    };
    outputs: {
      'AiSec.RedTeamReport': {
        /** Identifier of the scan. */
        job_id: string | null;
        /** Type of the scan: STATIC, DYNAMIC or CUSTOM. */
        job_type: string | null;
        /** Risk score, from 0 to 100. */
        score: number | null;
        /** Attack success rate, in percent. */
        asr: number | null;
        /** Number of attacks. */
        total_attacks: number | null;
        /** Number of successful attacks. */
        successful_attacks: number | null;
        /** Number of failed attacks. */
        failed_attacks: number | null;
        /** Number of goals of a dynamic scan. */
        total_goals: number | null;
        /** Number of achieved goals of a dynamic scan. */
        goals_achieved: number | null;
        /** Number of threats of a dynamic scan. */
        total_threats: number | null;
        /** Summary as text. */
        report_summary: string | null;
        /** Successful and failed attacks by severity. */
        severity_breakdown: unknown;
        /** The categories with their sub-categories, and the compliance frameworks. */
        category_reports: unknown;
      };
    };
  };
  /** Get the remediation for the findings of a red-team scan. */
  'aisec-redteam-report-remediation-get': {
    args: {
      /** Identifier of the scan. */
      job_id: string;
      /** Type of the scan; the type that the scan itself reports takes precedence. */
      job_type?: 'STATIC' | 'DYNAMIC' | 'CUSTOM' | Text | undefined;
    };
    outputs: {
      'AiSec.RedTeamRemediation': {
        /** Identifier of the scan. */
        job_id: string | null;
        /** Type of the scan: STATIC, DYNAMIC or CUSTOM. */
        job_type: string | null;
        /** Remediation for the findings. */
        remediations: ({
          /** Title of the measure. */
          remediation: string | null;
          /** What to do. */
          description: string | null;
          /** Priority of the measure. */
          priority_level: string | null;
          /** Effectiveness of the measure. */
          effectiveness_level: string | null;
          /** Ease of implementation. */
          ease_of_implementation_level: string | null;
          /** Links to more information. */
          resource_links: unknown;
        })[] | null;
      };
    };
  };
  /** Get the policies of a security profile that would prevent the findings of a red-team scan. */
  'aisec-redteam-report-runtime-policy-get': {
    args: {
      /** Identifier of the scan. */
      job_id: string;
      /** Type of the scan; the type that the scan itself reports takes precedence. */
      job_type?: 'STATIC' | 'DYNAMIC' | 'CUSTOM' | Text | undefined;
    };
    outputs: {
      'AiSec.RedTeamRuntimePolicy': {
        /** Identifier of the scan. */
        job_id: string | null;
        /** Type of the scan: STATIC, DYNAMIC or CUSTOM. */
        job_type: string | null;
        /** Policies of a security profile that would prevent the findings. */
        runtime_security_profile: ({
          /** Kind of the policy, such as PROMPT_INJECTION. */
          policy_id: string | null;
          /** Name of the policy. */
          display_name: string | null;
          /** Its settings. */
          config: unknown;
        })[] | null;
      };
    };
  };
  /** Download the report of a red-team scan as a ZIP archive: a summary, and a row for each attack. */
  'aisec-redteam-report-download': {
    args: {
      /** Identifier of the scan. */
      job_id: string;
      /** Format of the files in the archive: CSV, JSON, or ALL of them. */
      file_format?: 'CSV' | 'JSON' | 'ALL' | undefined;
    };
    outputs: {
      InfoFile: {
        /** Name of the file. */
        Name: string | null;
        /** Identifier of the file. */
        EntryID: string | null;
        /** Size of the file, in bytes. */
        Size: number | null;
        /** Type of the content. */
        Type: string | null;
        /** Extension of the name. */
        Extension: string | null;
        /** Information about the file, as the service declares it. */
        Info: string | null;
      };
    };
  };
  /** Unlock the report of a red-team scan that is PARTIALLY_COMPLETE; each call consumes one quota credit. */
  'aisec-redteam-report-generate-partial': {
    args: {
      /** Identifier of the scan. */
      job_id: string;
    };
    outputs: {
      'AiSec.RedTeamPartialReport': {
        /** Identifier of the scan. */
        job_id: string | null;
        /** Status of the scan. */
        status: string | null;
        report_stats: {
          /** Whether the partial report is unlocked. */
          partial_report_unlocked: boolean | null;
          /** When it was unlocked. */
          partial_report_unlocked_at: string | null;
          /** How complete the report is, in percent. */
          output_completion_percentage: number | null;
        };
      };
    };
  };
  /** Get the vote on the report of a red-team scan. */
  'aisec-redteam-sentiment-get': {
    args: {
      /** Identifier of the scan. */
      job_id: string;
    };
    outputs: {
      'AiSec.RedTeamSentiment': {
        /** Identifier of the scan. */
        job_id: string | null;
        /** Whether the vote is up. */
        up_vote: boolean | null;
        /** Whether the vote is down. */
        down_vote: boolean | null;
      };
    };
  };
  /** Vote on the report of a red-team scan; a vote replaces an earlier vote. */
  'aisec-redteam-sentiment-update': {
    args: {
      /** Identifier of the scan. */
      job_id: string;
      /** Vote on the report; it replaces an earlier vote. */
      vote: 'up' | 'down';
    };
    outputs: {
      'AiSec.RedTeamSentiment': {
        /** Identifier of the scan. */
        job_id: string | null;
        /** Whether the vote is up. */
        up_vote: boolean | null;
        /** Whether the vote is down. */
        down_vote: boolean | null;
      };
    };
  };
  /** Attack a target with a red-team scan; wait=true waits until the scan has ended. */
  'aisec-redteam-scan-create': {
    args: {
      /** Name of the scan, 3 to 255 characters. */
      name: string;
      /** Identifier of the target. */
      target_uuid: string;
      /** Type of the scan: STATIC runs the attack library, DYNAMIC lets agents pursue goals, CUSTOM sends prompt sets. */
      job_type?: 'STATIC' | 'DYNAMIC' | 'CUSTOM' | undefined;
      /** Attacks of a STATIC scan, as a JSON object: category, then sub-category, then true. An empty object means all. */
      categories?: object | string | undefined;
      /** Number of agents that work on one goal of a DYNAMIC scan in parallel, 1 to 20. */
      stream_breadth?: Count | undefined;
      /** Maximum number of turns for one goal of a DYNAMIC scan, 1 to 20. */
      stream_depth?: Count | undefined;
      /** Goals of a DYNAMIC scan, as a JSON array of texts. */
      attack_goals?: readonly (string)[] | string | undefined;
      /** Identifiers of the prompt sets of a CUSTOM scan. */
      custom_prompt_sets?: readonly (string)[] | string | undefined;
      /** Wait for the end of the scan, and return its result as well. */
      wait?: Flag | undefined;
      /** Maximum time to wait, in seconds. */
      timeout?: Count | undefined;
      /** Time between two polls, in seconds. */
      interval?: Count | undefined;
    };
    outputs: {
      'AiSec.RedTeamScanCreate': {
        /** Identifier of the scan. */
        uuid: string;
        /** Name of the scan. */
        name: string | null;
        /** Type of the scan: STATIC, DYNAMIC or CUSTOM. */
        job_type: string | null;
        /** QUEUED, RUNNING, COMPLETED, PARTIALLY_COMPLETE, FAILED or ABORTED. */
        status: string | null;
        /** Identifier of the target. */
        target_id: string | null;
        /** Type of the target. */
        target_type: string | null;
        /** Number of attacks, streams or prompts; null until it is known. */
        total: number | null;
        /** Number of attacks, streams or prompts that are done. */
        completed: number | null;
        /** Risk score, from 0 to 100; null until the scan completes. */
        score: number | null;
        /** Attack success rate, in percent; null until the scan completes. */
        asr: number | null;
        /** What the scan does: categories, streams and goals, or prompt sets. */
        job_metadata: unknown;
        /** Version of the record. */
        version: number | null;
        /** When the scan was created. */
        created_at: string | null;
        /** When the scan was last changed. */
        updated_at: string | null;
        /** Tenant services group of the scan. */
        tsg_id: string | null;
      };
      'AiSec.RedTeamScanGet'?: {
        /** Identifier of the scan. */
        uuid: string | null;
        /** Name of the scan. */
        name: string | null;
        /** QUEUED, RUNNING, COMPLETED, PARTIALLY_COMPLETE, FAILED or ABORTED. */
        status: string | null;
        /** Progress of the scan, as <completed>/<total>. */
        progress: string | null;
        /** How much of the scan is done, in percent. */
        progress_percentage: number | null;
        /** Risk score, from 0 to 100; null until the scan completes. */
        score: number | null;
        /** Attack success rate, in percent; null until the scan completes. */
        asr: number | null;
        /** Type of the scan: STATIC, DYNAMIC or CUSTOM. */
        job_type: string | null;
        /** Name of the target. */
        target_name: string | null;
        /** Identifier of the target. */
        target_id: string | null;
        /** Number of attacks, streams or prompts; null until it is known. */
        total: number | null;
        /** Number of attacks, streams or prompts that are done. */
        completed: number | null;
        /** When the scan was created. */
        created_at: string | null;
        /** When the scan began to run. */
        started_at: string | null;
        /** When the scan ended. */
        completed_at: string | null;
      };
    };
  };
  /** List the red-team scans, the newest first. */
  'aisec-redteam-scans-list': {
    args: {
      /** Maximum number of records to return. */
      limit?: Count | undefined;
      /** Return only scans of this type. */
      job_type?: 'STATIC' | 'DYNAMIC' | 'CUSTOM' | Text | undefined;
      /** Return only scans with this status. */
      status?: 'QUEUED' | 'RUNNING' | 'COMPLETED' | 'PARTIALLY_COMPLETE' | 'FAILED' | 'ABORTED' | Text | undefined;
      /** Number of records to skip before the first one. */
      skip?: Count | undefined;
      /** Return only scans of this target. */
      target_uuid?: string | undefined;
      /** Number of records to skip before the first one. */
      offset?: Count | undefined;
    };
    outputs: {
      'AiSec.RedTeamScan': ({
        /** Identifier of the scan. */
        uuid: string | null;
        /** Name of the target. */
        target_name: string | null;
        /** Type of the scan: STATIC, DYNAMIC or CUSTOM. */
        job_type: string | null;
        /** QUEUED, RUNNING, COMPLETED, PARTIALLY_COMPLETE, FAILED or ABORTED. */
        status: string | null;
        /** How much of the scan is done, in percent. */
        progress: number | null;
        /** Number of attacks, streams or prompts. */
        total_prompts: number | null;
        /** Number of attacks, streams or prompts that are done. */
        completed_prompts: number | null;
        /** When the scan was created. */
        created_at: string | null;
        /** Number of attacks, streams or prompts that failed; null if the service does not report it here. */
        failed_prompts: number | null;
        /** Why the scan failed; null if the service does not report it here. */
        error_message: string | null;
        /** Identifier of the target. */
        target_uuid: string | null;
        /** When the scan began to run. */
        started_at: string | null;
        /** When the scan ended. */
        completed_at: string | null;
        /** When the scan was last changed. */
        updated_at: string | null;
        /** Tenant services group of the scan. */
        tsg_id: string | null;
      })[];
    };
  };
  /** Get a red-team scan with its progress. */
  'aisec-redteam-scan-get': {
    args: {
      /** Identifier of the scan. */
      job_id: string;
    };
    outputs: {
      'AiSec.RedTeamScanGet': {
        /** Identifier of the scan. */
        uuid: string | null;
        /** Name of the scan. */
        name: string | null;
        /** QUEUED, RUNNING, COMPLETED, PARTIALLY_COMPLETE, FAILED or ABORTED. */
        status: string | null;
        /** Progress of the scan, as <completed>/<total>. */
        progress: string | null;
        /** How much of the scan is done, in percent. */
        progress_percentage: number | null;
        /** Risk score, from 0 to 100; null until the scan completes. */
        score: number | null;
        /** Attack success rate, in percent; null until the scan completes. */
        asr: number | null;
        /** Type of the scan: STATIC, DYNAMIC or CUSTOM. */
        job_type: string | null;
        /** Name of the target. */
        target_name: string | null;
        /** Identifier of the target. */
        target_id: string | null;
        /** Number of attacks, streams or prompts; null until it is known. */
        total: number | null;
        /** Number of attacks, streams or prompts that are done. */
        completed: number | null;
        /** When the scan was created. */
        created_at: string | null;
        /** When the scan began to run. */
        started_at: string | null;
        /** When the scan ended. */
        completed_at: string | null;
      };
    };
  };
  /** Stop a red-team scan; it ends shortly afterwards. */
  'aisec-redteam-scan-abort': {
    args: {
      /** Identifier of the scan. */
      job_id: string;
    };
    outputs: {
      'AiSec.RedTeamScanAbort': {
        /** Identifier of the scan. */
        job_id: string | null;
        /** Message of the service. */
        message: string | null;
      };
    };
  };
  /** List the errors of individual attacks of a red-team scan, the newest first. */
  'aisec-redteam-scan-error-logs': {
    args: {
      /** Identifier of the scan. */
      job_id: string;
      /** Maximum number of records to return. */
      limit?: Count | undefined;
      /** Number of records to skip before the first one. */
      skip?: Count | undefined;
      /** Return only entries that contain this text. */
      search?: string | undefined;
      /** Number of records to skip before the first one. */
      offset?: Count | undefined;
    };
    outputs: {
      'AiSec.RedTeamScanErrorLog': ({
        /** When the error was recorded. */
        created_at: string | null;
        /** Type of the error, such as NETWORK, AUTHENTICATION or VALIDATION. */
        error_type: string | null;
        /** Where the error came from, such as TARGET, JOB or SYSTEM. */
        error_source: string | null;
        /** Error message. */
        error_message: string | null;
        /** Identifier of the target. */
        target_id: string | null;
        /** Version of the target at that time. */
        target_version: number | null;
        /** Identifier of the scan, if there is one. */
        job_id: string | null;
        /** Identifier of the attack, if there is one. */
        attack_id: string | null;
        /** When the entry was last changed. */
        updated_at: string | null;
        /** Snapshot of the target at that time. */
        target_object: unknown;
        /** Further details. */
        extra_info: unknown;
        /** Version of the entry. */
        version: number | null;
      })[];
    };
  };
  /** List the attack categories and their sub-categories. */
  'aisec-redteam-categories-list': {
    args: {
      /** Maximum number of records to return. */
      limit?: Count | undefined;
      /** Number of records to skip before the first one. */
      offset?: Count | undefined;
    };
    outputs: {
      'AiSec.RedTeamCategory': ({
        /** Identifier: SECURITY, SAFETY, COMPLIANCE or BRAND. */
        id: string | null;
        /** Name of the category. */
        display_name: string | null;
        /** What the category is about. */
        description: string | null;
        /** Whether scans include it by default. */
        preselect: boolean | null;
        /** Number of sub-categories. */
        sub_category_count: number | null;
        /** The sub-categories. */
        sub_categories: ({
          /** Identifier, such as JAILBREAK. */
          id: string | null;
          /** Name of the sub-category. */
          display_name: string | null;
          /** What the sub-category is about. */
          description: string | null;
          /** Whether it can be chosen. */
          active: boolean | null;
          /** Whether scans include it by default. */
          preselect: boolean | null;
        })[] | null;
      })[];
    };
  };
  /** List the red-team targets. */
  'aisec-redteam-targets-list': {
    args: {
      /** Maximum number of records to return. */
      limit?: Count | undefined;
      /** Return only targets of this type. */
      target_type?: 'APPLICATION' | 'AGENT' | 'MODEL' | Text | undefined;
      /** Return only targets with this status, or whose profiling has it. */
      status?: 'ACTIVE' | 'FAILED' | 'READY' | 'VALIDATING' | 'DRAFT' | 'QUEUED' | 'IN_PROGRESS' | 'COMPLETED' | 'PARTIALLY_COMPLETE' | Text | undefined;
      /** Number of records to skip before the first one. */
      skip?: Count | undefined;
      /** Number of records to skip before the first one. */
      offset?: Count | undefined;
    };
    outputs: {
      'AiSec.RedTeamTarget': ({
        /** Identifier of the target. */
        uuid: string | null;
        /** Name of the target. */
        name: string | null;
        /** Status of the target, such as ACTIVE, READY, VALIDATING or FAILED. */
        status: string | null;
        /** Whether the target can be scanned. */
        active: boolean | null;
        /** Whether the service has reached the target. */
        validated: boolean | null;
        /** Type of the target: APPLICATION, AGENT or MODEL. */
        target_type: string | null;
        /** Connection type of the target, such as REST, STREAMING, WEBSOCKET or CUSTOM. */
        connection_type: string | null;
        /** When the target was created. */
        created_at: string | null;
        /** When the target was last changed. */
        updated_at: string | null;
        /** Tenant services group of the target. */
        tsg_id: string | null;
        /** Description of the target. */
        description: string | null;
        /** How the service signs in to the target. */
        auth_type: string | null;
        /** Where the target can be reached from: PUBLIC, PRIVATE or NETWORK_BROKER. */
        api_endpoint_type: string | null;
        /** Response mode of the target, such as REST or STREAMING. */
        response_mode: string | null;
        /** Whether the target keeps a session over several turns. */
        session_supported: boolean | null;
        /** Identifier of the user who created the target. */
        created_by_user_id: string | null;
        /** Identifier of the user who changed the target last. */
        updated_by_user_id: string | null;
      })[];
    };
  };
  /** Create a red-team target. */
  'aisec-redteam-targets-create': {
    args: {
      /** Name of the target. */
      name: string;
      /** Description of the target. */
      description?: string | undefined;
      /** Type of the target. */
      target_type?: 'APPLICATION' | 'AGENT' | 'MODEL' | Text | undefined;
      /** Connection type of the target. */
      connection_type?: 'REST' | 'STREAMING' | 'WEBSOCKET' | 'CUSTOM' | 'CUSTOM_TARGET_ADAPTER' | 'VENDOR_A' | 'VENDOR_B' | 'VENDOR_C' | 'VENDOR_D' | 'VENDOR_E' | Text | undefined;
      /** Reachability of the endpoint. */
      api_endpoint_type?: 'PUBLIC' | 'PRIVATE' | 'NETWORK_BROKER' | Text | undefined;
      /** Response mode of the target. */
      response_mode?: 'REST' | 'STREAMING' | Text | undefined;
      /** Session support: true if the target keeps a session over several turns. */
      session_supported?: Flag | undefined;
      /** Connection of the target, as a JSON object: its address, with {INPUT} in request_json and {RESPONSE} in response_json. */
      connection_params?: object | string | undefined;
      /** Create the target only if the service can reach it, which may take two minutes. */
      validate?: Flag | undefined;
    };
    outputs: {
      'AiSec.RedTeamTargetCreate': {
        /** Identifier of the target. */
        uuid: string | null;
        /** Name of the target. */
        name: string | null;
        /** Status of the target, such as ACTIVE, READY, VALIDATING or FAILED. */
        status: string | null;
        /** Whether the target can be scanned. */
        active: boolean | null;
        /** Whether the service has reached the target. */
        validated: boolean | null;
        /** When the target was created. */
        created_at: string | null;
      };
    };
  };
  /** Get a target with its profile. */
  'aisec-redteam-targets-get': {
    args: {
      /** Identifier of the target. */
      uuid: string;
    };
    outputs: {
      'AiSec.RedTeamTargetGet': {
        /** Identifier of the target. */
        uuid: string | null;
        /** Name of the target. */
        name: string | null;
        /** Status of the target, such as ACTIVE, READY, VALIDATING or FAILED. */
        status: string | null;
        /** Whether the target can be scanned. */
        active: boolean | null;
        /** Whether the service has reached the target. */
        validated: boolean | null;
        /** Type of the target: APPLICATION, AGENT or MODEL. */
        target_type: string | null;
        /** Connection type of the target, such as REST, STREAMING, WEBSOCKET or CUSTOM. */
        connection_type: string | null;
        /** Status of the profiling. */
        profiling_status: string | null;
        /** Results of the probes, and the connection of the target. */
        target_metadata: unknown;
        /** Background: industry, use case, competitors. */
        target_background: unknown;
        /** Technical context: model, architecture, languages, tools. */
        additional_context: unknown;
        /** Tenant services group of the target. */
        tsg_id: string | null;
      };
    };
  };
  /** Update a target; omitted fields keep their values. */
  'aisec-redteam-targets-update': {
    args: {
      /** Identifier of the target. */
      uuid: string;
      /** Name of the target. */
      name?: string | undefined;
      /** Description of the target. */
      description?: string | null | undefined;
      /** Type of the target. */
      target_type?: 'APPLICATION' | 'AGENT' | 'MODEL' | Text | undefined;
      /** Connection type of the target. */
      connection_type?: 'REST' | 'STREAMING' | 'WEBSOCKET' | 'CUSTOM' | 'CUSTOM_TARGET_ADAPTER' | 'VENDOR_A' | 'VENDOR_B' | 'VENDOR_C' | 'VENDOR_D' | 'VENDOR_E' | Text | undefined;
      /** Connection of the target, as a JSON object: its address, with {INPUT} in request_json and {RESPONSE} in response_json. */
      connection_params?: object | string | undefined;
      /** Update the target only if the service can reach it, which may take two minutes; true by default. */
      validate?: Flag | undefined;
    };
    outputs: {
      'AiSec.RedTeamTargetUpdate': {
        /** Identifier of the target. */
        uuid: string | null;
        /** Name of the target. */
        name: string | null;
        /** Status of the target, such as ACTIVE, READY, VALIDATING or FAILED. */
        status: string | null;
        /** When the target was last changed. */
        updated_at: string | null;
      };
    };
  };
  /** Delete a target and its credentials permanently. */
  'aisec-redteam-targets-delete': {
    args: {
      /** Identifier of the target. */
      uuid: string;
    };
    outputs: {
      'AiSec.RedTeamTargetDelete': {
        /** Identifier of the target. */
        uuid: string | null;
        /** Message of the service. */
        message: string | null;
        /** HTTP status of the response. */
        status: number | null;
      };
    };
  };
  /** Probe the properties of a target; nothing is stored, and it may take minutes. */
  'aisec-redteam-targets-probe': {
    args: {
      /** Name of the target. */
      name: string;
      /** Identifier of an existing target; it supplies the omitted arguments. */
      uuid?: string | undefined;
      /** Description of the target. */
      description?: string | undefined;
      /** Type of the target. */
      target_type?: 'APPLICATION' | 'AGENT' | 'MODEL' | Text | undefined;
      /** Connection type of the target. */
      connection_type?: 'REST' | 'STREAMING' | 'WEBSOCKET' | 'CUSTOM' | 'CUSTOM_TARGET_ADAPTER' | 'VENDOR_A' | 'VENDOR_B' | 'VENDOR_C' | 'VENDOR_D' | 'VENDOR_E' | Text | undefined;
      /** Connection of the target, as a JSON object: its address, with {INPUT} in request_json and {RESPONSE} in response_json. */
      connection_params?: object | string | undefined;
      /** Properties to probe; by default all of them. */
      probe_fields?: readonly ('multi_turn' | 'rate_limit' | 'content_filter' | 'industry' | 'use_case' | 'competitors' | 'base_model' | 'core_architecture' | 'languages_supported' | 'tools_accessible' | 'system_prompt' | 'banned_keywords' | Text)[] | string | undefined;
    };
    outputs: {
      'AiSec.RedTeamTargetProbe': {
        /** Identifier of the target. */
        uuid: string | null;
        /** Name of the target. */
        name: string | null;
        /** Status of the target, such as ACTIVE, READY, VALIDATING or FAILED. */
        status: string | null;
        /** Whether the service has reached the target. */
        validated: boolean | null;
        /** Status of the profiling. */
        profiling_status: string | null;
        /** Whether the target supports several turns. */
        multi_turn_supported: boolean | null;
        /** Whether the target limits its rate. */
        rate_limit_enabled: boolean | null;
        /** Whether the target filters content. */
        content_filter_enabled: boolean | null;
        /** Results of the probes, and the connection of the target. */
        target_metadata: unknown;
      };
    };
  };
  /** Get the profile of a target. */
  'aisec-redteam-targets-profile': {
    args: {
      /** Identifier of the target. */
      target_uuid: string;
    };
    outputs: {
      'AiSec.RedTeamTargetProfile': {
        /** Identifier of the target. */
        target_id: string | null;
        /** Version of the target that was profiled. */
        target_version: number | null;
        /** Status of the target, such as ACTIVE, READY, VALIDATING or FAILED. */
        status: string | null;
        /** Status of the profiling. */
        profiling_status: string | null;
        /** Background: industry, use case, competitors. */
        target_background: unknown;
        /** Technical context: model, architecture, languages, tools. */
        additional_context: unknown;
        /** Names of the members that profiling has filled in. */
        ai_generated_fields: unknown;
        /** Other results of the profiling. */
        other_details: unknown;
      };
    };
  };
  /** Update the profile of a target without connecting to it; an omitted part keeps its value. */
  'aisec-redteam-targets-update-profile': {
    args: {
      /** Identifier of the target. */
      target_uuid: string;
      /** Background of the target, as a JSON object: industry, use_case, competitors. */
      target_background?: object | string | undefined;
      /** Technical context of the target, as a JSON object: base_model, core_architecture, system_prompt, languages_supported, banned_keywords, tools_accessible. */
      additional_context?: object | string | undefined;
    };
    outputs: {
      'AiSec.RedTeamTargetUpdateProfile': {
        /** Identifier of the target. */
        uuid: string | null;
        /** Name of the target. */
        name: string | null;
        /** Status of the target, such as ACTIVE, READY, VALIDATING or FAILED. */
        status: string | null;
        /** Whether the target can be scanned. */
        active: boolean | null;
        /** Whether the service has reached the target. */
        validated: boolean | null;
        /** When the target was last changed. */
        updated_at: string | null;
        /** Background: industry, use case, competitors. */
        target_background: unknown;
        /** Technical context: model, architecture, languages, tools. */
        additional_context: unknown;
      };
    };
  };
  /** Get the definitions of all configuration fields of targets. */
  'aisec-redteam-targets-metadata': {
    args: Record<string, never>;
    outputs: {
      'AiSec.RedTeamTargetMetadata': unknown;
    };
  };
  /** Check authentication settings for a target; nothing is created or changed. */
  'aisec-redteam-targets-validate-auth': {
    args: {
      /** Authentication type of the target. */
      auth_type: 'HEADERS' | 'BASIC_AUTH' | 'OAUTH2' | Text;
      /** Authentication settings, as a JSON object, with live credentials. */
      auth_config: object | string;
      /** Identifier of a target whose stored values replace the masked ones. */
      target_id?: string | undefined;
      /** Identifier of the network channel to go through. */
      network_broker_channel_uuid?: string | undefined;
    };
    outputs: {
      'AiSec.RedTeamTargetAuthValidation': {
        /** Whether the service could sign in, or found the settings complete. */
        validated: boolean | null;
        /** Beginning of the token that was fetched; the rest is masked. */
        token_preview: string | null;
        /** How long the token is valid, in seconds. */
        expires_in: number | null;
      };
    };
  };
  /** Get the connection fields that each provider expects. */
  'aisec-redteam-targets-templates': {
    args: Record<string, never>;
    outputs: {
      'AiSec.RedTeamTargetTemplate': {
        /** Connection fields of VENDOR_A. */
        VENDOR_A?: {
          /** Identifier of the template. */
          id?: string | null;
          /** Name of the template. */
          name?: string | null;
          /** Whether the target is a custom one. */
          is_custom?: boolean | null;
          /** Address of the target. */
          url?: string | null;
          /** Body of a request. */
          request_json?: unknown;
          /** Body of an answer. */
          response_json?: unknown;
          /** Body of a request with a file. */
          file_request_json?: unknown;
          [member: string]: unknown;
        } | null;
        /** Connection fields of VENDOR_B. */
        VENDOR_B?: {
          /** Identifier of the template. */
          id?: string | null;
          /** Name of the template. */
          name?: string | null;
          /** Whether the target is a custom one. */
          is_custom?: boolean | null;
          /** Address of the target. */
          url?: string | null;
          /** Body of a request. */
          request_json?: unknown;
          /** Body of an answer. */
          response_json?: unknown;
          [member: string]: unknown;
        } | null;
        /** Connection fields of VENDOR_C. */
        VENDOR_C?: {
          /** Identifier of the template. */
          id?: string | null;
          /** Name of the template. */
          name?: string | null;
          /** Whether the target is a custom one. */
          is_custom?: boolean | null;
          /** Address of the target. */
          url?: string | null;
          /** Body of a request. */
          request_json?: unknown;
          /** Body of an answer. */
          response_json?: unknown;
          [member: string]: unknown;
        } | null;
        /** Connection fields of VENDOR_D. */
        VENDOR_D?: {
          /** Identifier of the template. */
          id?: string | null;
          /** Name of the template. */
          name?: string | null;
          /** Whether the target is a custom one. */
          is_custom?: boolean | null;
          /** Address of the target. */
          url?: string | null;
          /** Body of a request. */
          request_json?: unknown;
          /** Body of an answer. */
          response_json?: unknown;
          /** Body of a request with a file. */
          file_request_json?: unknown;
          [member: string]: unknown;
        } | null;
        /** Connection fields of VENDOR_E. */
        VENDOR_E?: {
          /** Identifier of the template. */
          id?: string | null;
          /** Name of the template. */
          name?: string | null;
          /** Whether the target is a custom one. */
          is_custom?: boolean | null;
          [member: string]: unknown;
        } | null;
        /** Connection fields of REST. */
        REST?: {
          /** Identifier of the template. */
          id?: string | null;
          /** Name of the template. */
          name?: string | null;
          /** Whether the target is a custom one. */
          is_custom?: boolean | null;
          /** Address of the target. */
          url?: string | null;
          /** Body of a request. */
          request_json?: unknown;
          /** Body of an answer. */
          response_json?: unknown;
          /** Body of a request with a file. */
          file_request_json?: unknown;
          [member: string]: unknown;
        } | null;
        /** Connection fields of STREAMING. */
        STREAMING?: {
          /** Identifier of the template. */
          id?: string | null;
          /** Name of the template. */
          name?: string | null;
          /** Whether the target is a custom one. */
          is_custom?: boolean | null;
          /** Address of the target. */
          url?: string | null;
          /** Body of a request. */
          request_json?: unknown;
          /** Body of an answer. */
          response_json?: unknown;
          /** Body of a request with a file. */
          file_request_json?: unknown;
          [member: string]: unknown;
        } | null;
        /** Connection fields of WEBSOCKET. */
        WEBSOCKET?: {
          /** Identifier of the template. */
          id?: string | null;
          /** Name of the template. */
          name?: string | null;
          /** Whether the target is a custom one. */
          is_custom?: boolean | null;
          /** Address of the target. */
          url?: string | null;
          /** Body of a request. */
          request_json?: unknown;
          /** Body of an answer. */
          response_json?: unknown;
          /** Body of a request with a file. */
          file_request_json?: unknown;
          /** Body of a streaming request. */
          streaming_request_json?: unknown;
          /** Body of a streaming answer. */
          streaming_response_json?: unknown;
          [member: string]: unknown;
        } | null;
        /** Connection fields of CUSTOM_TARGET_ADAPTER. */
        CUSTOM_TARGET_ADAPTER?: {
          /** Identifier of the template. */
          id?: string | null;
          /** Name of the template. */
          name?: string | null;
          /** Whether the target is a custom one. */
          is_custom?: boolean | null;
          [member: string]: unknown;
        } | null;
        [member: string]: unknown;
      } | null;
    };
  };
  /** List the validation, probing and profiling errors of a target, the newest first. */
  'aisec-redteam-targets-error-logs': {
    args: {
      /** Identifier of the target. */
      target_id: string;
      /** Maximum number of records to return. */
      limit?: Count | undefined;
      /** Number of records to skip before the first one. */
      skip?: Count | undefined;
      /** Return only entries that contain this text. */
      search?: string | undefined;
      /** Number of records to skip before the first one. */
      offset?: Count | undefined;
    };
    outputs: {
      'AiSec.RedTeamTargetErrorLog': ({
        /** When the error was recorded. */
        created_at: string | null;
        /** Type of the error, such as NETWORK, AUTHENTICATION or VALIDATION. */
        error_type: string | null;
        /** Where the error came from, such as TARGET, JOB or SYSTEM. */
        error_source: string | null;
        /** Error message. */
        error_message: string | null;
        /** Identifier of the target. */
        target_id: string | null;
        /** Version of the target at that time. */
        target_version: number | null;
        /** Identifier of the scan, if there is one. */
        job_id: string | null;
        /** Identifier of the attack, if there is one. */
        attack_id: string | null;
        /** When the entry was last changed. */
        updated_at: string | null;
        /** Snapshot of the target at that time. */
        target_object: unknown;
        /** Further details. */
        extra_info: unknown;
        /** Version of the entry. */
        version: number | null;
      })[];
    };
  };
  /** List the label keys of all scans. */
  'aisec-model-security-labels-keys': {
    args: {
      /** Maximum number of records to return. */
      limit?: Count | undefined;
      /** Number of records to skip before the first one. */
      offset?: Count | undefined;
    };
    outputs: {
      'AiSec.ModelSecurityLabelKeys': {
        /** Distinct label keys of all scans. */
        keys: unknown;
        /** Total number, if the service reports it. */
        total_items: number | null;
        /** Requested number of records. */
        limit: number | null;
        /** Number of skipped records. */
        offset: number | null;
      };
    };
  };
  /** List the values of a label key. */
  'aisec-model-security-labels-values': {
    args: {
      /** Label key. */
      key: string;
      /** Maximum number of records to return. */
      limit?: Count | undefined;
      /** Number of records to skip before the first one. */
      offset?: Count | undefined;
    };
    outputs: {
      'AiSec.ModelSecurityLabelValues': {
        /** Label key. */
        key: string | null;
        /** Distinct values of the key. */
        values: unknown;
        /** Total number, if the service reports it. */
        total_items: number | null;
        /** Requested number of records. */
        limit: number | null;
        /** Number of skipped records. */
        offset: number | null;
      };
    };
  };
  /** Add labels to a scan: other labels stay, and an existing key gets the new value. */
  'aisec-model-security-labels-add': {
    args: {
      /** Identifier of the scan. */
      scan_uuid: string;
      /** Labels, a JSON array of {"key": "...", "value": "..."}, at most 50. */
      labels: readonly ({
        key: string;
        value: string;
        [member: string]: unknown;
      })[] | string;
    };
    outputs: {
      'AiSec.ModelSecurityLabelsAdd': {
        /** Identifier of the scan. */
        scan_uuid: string | null;
        /** Labels that were added. */
        labels_added: ({
          /** Key of the label. */
          key: string | null;
          /** Value of the label. */
          value: string | null;
        })[] | null;
        /** Whether the service accepted the change. */
        success: boolean;
      };
    };
  };
  /** Replace all labels of a scan; the previous labels are shown. */
  'aisec-model-security-labels-set': {
    args: {
      /** Identifier of the scan. */
      scan_uuid: string;
      /** Labels, a JSON array of {"key": "...", "value": "..."}, at most 50. */
      labels: readonly ({
        key: string;
        value: string;
        [member: string]: unknown;
      })[] | string;
    };
    outputs: {
      'AiSec.ModelSecurityLabelsSet': {
        /** Identifier of the scan. */
        scan_uuid: string | null;
        /** Labels that the scan has now. */
        labels_set: ({
          /** Key of the label. */
          key: string | null;
          /** Value of the label. */
          value: string | null;
        })[] | null;
        /** Whether the service accepted the change. */
        success: boolean;
      };
    };
  };
  /** Delete labels of a scan by their keys. */
  'aisec-model-security-labels-delete': {
    args: {
      /** Identifier of the scan. */
      scan_uuid: string;
      /** Keys of the labels: comma-separated, or a JSON array. */
      keys: readonly (string)[] | string;
    };
    outputs: {
      'AiSec.ModelSecurityLabelsDelete': {
        /** Identifier of the scan. */
        scan_uuid: string | null;
        /** Keys that were deleted. */
        keys_deleted: unknown;
        /** Whether the service accepted the change. */
        success: boolean;
      };
    };
  };
  /** List the models of the catalogue. */
  'aisec-model-security-models-list': {
    args: {
      /** Maximum number of records to return. */
      limit?: Count | undefined;
      /** Number of records to skip before the first one. */
      skip?: Count | undefined;
      /** Text that the UUID or name of a model must match. */
      search_query?: string | undefined;
      /** Field to sort by. */
      sort_field?: 'created_at' | 'updated_at' | undefined;
      /** Sort order, ascending or descending. */
      sort_order?: 'asc' | 'desc' | undefined;
      /** Return only models whose latest version has one of these outcomes. */
      latest_version_outcomes?: readonly ('PASSED' | 'FAILED' | 'ALLOWED' | 'BLOCKED' | 'PENDING' | 'ERROR' | Text)[] | string | undefined;
      /** Return only models whose latest version has one of these file formats. */
      latest_version_formats?: readonly (string)[] | string | undefined;
      /** Return only models whose latest version is from one of these sources. */
      latest_version_source_types?: readonly ('MODEL_HUB' | 'LOCAL' | 'STORE_A' | 'STORE_B' | 'STORE_C' | Text)[] | string | undefined;
      /** Return only models created at or after this time: ISO 8601, or an age such as 7 days. */
      start_time?: string | undefined;
      /** Return only models created at or before this time: ISO 8601, or an age; a date includes the whole day. */
      end_time?: string | undefined;
      /** Number of records to skip before the first one. */
      offset?: Count | undefined;
    };
    outputs: {
      'AiSec.ModelSecurityModel': ({
        /** Identifier of the model. */
        uuid: string | null;
        /** Name of the model. */
        name: string | null;
        /** Outcome of the latest version. */
        latest_version_outcome: string | null;
        /** Revision of the latest version. */
        latest_version_revision: string | null;
        /** Where the latest version was scanned. */
        latest_version_source_types: unknown;
        /** File formats of the latest version. */
        latest_version_formats: unknown;
        /** When the latest version was scanned. */
        latest_version_scan_time: string | null;
        /** Identifier of the latest version. */
        latest_version_uuid: string | null;
        /** When it was created. */
        created_at: string | null;
        /** When it was last changed. */
        updated_at: string | null;
      })[];
    };
  };
  /** Get a model of the catalogue. */
  'aisec-model-security-models-get': {
    args: {
      /** Identifier of the model. */
      uuid: string;
    };
    outputs: {
      'AiSec.ModelSecurityModel': {
        /** Identifier of the model. */
        uuid: string | null;
        /** Name of the model. */
        name: string | null;
        /** Outcome of the latest version. */
        latest_version_outcome: string | null;
        /** Revision of the latest version. */
        latest_version_revision: string | null;
        /** Where the latest version was scanned. */
        latest_version_source_types: unknown;
        /** File formats of the latest version. */
        latest_version_formats: unknown;
        /** When the latest version was scanned. */
        latest_version_scan_time: string | null;
        /** Identifier of the latest version. */
        latest_version_uuid: string | null;
        /** Fingerprint of the latest version. */
        latest_version_fingerprint: string | null;
        /** Commit of the latest version at the hub. */
        latest_version_hub_commit_sha: string | null;
        /** When it was created. */
        created_at: string | null;
        /** When it was last changed. */
        updated_at: string | null;
      };
    };
  };
  /** List the scanned versions of a model. */
  'aisec-model-security-models-versions': {
    args: {
      /** Identifier of the model. */
      model_uuid: string;
      /** Maximum number of records to return. */
      limit?: Count | undefined;
      /** Number of records to skip before the first one. */
      skip?: Count | undefined;
      /** Sort order, ascending or descending. */
      sort_order?: 'asc' | 'desc' | undefined;
      /** Number of records to skip before the first one. */
      offset?: Count | undefined;
    };
    outputs: {
      'AiSec.ModelSecurityModelVersion': ({
        /** Identifier of the version. */
        uuid: string | null;
        /** Revision of the model. */
        revision: string | null;
        /** Outcome of the last scan. */
        last_eval_outcome: string | null;
        /** Number of files. */
        file_count: number | null;
        /** Licence of the model. */
        license: string | null;
        /** File formats. */
        model_formats: unknown;
        /** Where the version was scanned. */
        source_types: unknown;
        /** When the version was last scanned. */
        latest_scan_time: string | null;
        /** Organization at the hub. */
        hub_organization: string | null;
        /** Name of the model at the hub. */
        hub_model_name: string | null;
        /** Identifier of the model. */
        model_uuid: string | null;
      })[];
    };
  };
  /** Get one version of a model. */
  'aisec-model-security-models-version-get': {
    args: {
      /** Identifier of the version. */
      uuid: string;
    };
    outputs: {
      'AiSec.ModelSecurityModelVersion': {
        /** Identifier of the version. */
        uuid: string | null;
        /** Revision of the model. */
        revision: string | null;
        /** Outcome of the last scan. */
        last_eval_outcome: string | null;
        /** Number of files. */
        file_count: number | null;
        /** Licence of the model. */
        license: string | null;
        /** File formats. */
        model_formats: unknown;
        /** Where the version was scanned. */
        source_types: unknown;
        /** When the version was last scanned. */
        latest_scan_time: string | null;
        /** Organization at the hub. */
        hub_organization: string | null;
        /** Name of the model at the hub. */
        hub_model_name: string | null;
        /** Identifier of the model. */
        model_uuid: string | null;
        /** Fingerprint of the version. */
        fingerprint: string | null;
        /** Commit at the hub. */
        hub_commit_sha: string | null;
        /** Title of the commit. */
        hub_commit_title: string | null;
        /** When it was created. */
        created_at: string | null;
        /** When it was last changed. */
        updated_at: string | null;
      };
    };
  };
  /** List the files of one version of a model. */
  'aisec-model-security-models-files': {
    args: {
      /** Identifier of the version. */
      model_version_uuid: string;
      /** Maximum number of records to return. */
      limit?: Count | undefined;
      /** Number of records to skip before the first one. */
      skip?: Count | undefined;
      /** Number of records to skip before the first one. */
      offset?: Count | undefined;
    };
    outputs: {
      'AiSec.ModelSecurityModelFile': ({
        /** Path in the model. */
        path: string | null;
        /** FILE, DIRECTORY, or another value of the service. */
        type: string | null;
        /** Result of its latest scan. */
        result: string | null;
        /** File formats. */
        formats: unknown;
        /** Identifier of the file. */
        uuid: string | null;
        /** Path of the folder that it is in. */
        parent_path: string | null;
        /** Identifier of the version. */
        model_version_uuid: string | null;
        /** Identifier of the latest scan. */
        scan_uuid: string | null;
      })[];
    };
  };
  /** List the rule instances of a security group. */
  'aisec-model-security-rule-instances-list': {
    args: {
      /** Identifier of the security group. */
      security_group_uuid: string;
      /** Maximum number of records to return. */
      limit?: Count | undefined;
      /** Number of records to skip before the first one. */
      offset?: Count | undefined;
      /** Return only instances of this rule. */
      security_rule_uuid?: string | undefined;
      /** Return only instances in this state. */
      state?: 'DISABLED' | 'ALLOWING' | 'BLOCKING' | undefined;
    };
    outputs: {
      'AiSec.ModelSecurityRuleInstance': {
        /** Identifier of the security group. */
        security_group_uuid: string | null;
        /** Rule instances of the group. */
        rule_instances: ({
          /** Identifier of the rule instance. */
          uuid: string | null;
          /** Name of the rule. */
          rule_name: string | null;
          /** What the rule does in this group: DISABLED, ALLOWING or BLOCKING. */
          state: string | null;
          /** Subject of the rule: ARTIFACT or METADATA; null for a custom rule. */
          rule_type: string | null;
          /** Values that are set for this group. */
          field_values: unknown;
          /** Description of the rule. */
          rule_description: string | null;
          /** Identifier of the rule; null for a custom rule. */
          security_rule_uuid: string | null;
          /** Identifier of the security group. */
          security_group_uuid: string | null;
          /** When it was created. */
          created_at: string | null;
          /** When it was last changed. */
          updated_at: string | null;
          /** Tenant services group. */
          tsg_id: string | null;
        })[] | null;
        /** Total number, if the service reports it. */
        total_items: number | null;
        /** Requested number of records. */
        limit: number | null;
        /** Number of skipped records. */
        offset: number | null;
      };
    };
  };
  /** Get a rule instance of a security group. */
  'aisec-model-security-rule-instances-get': {
    args: {
      /** Identifier of the security group. */
      security_group_uuid: string;
      /** Identifier of the rule instance. */
      rule_instance_uuid: string;
    };
    outputs: {
      'AiSec.ModelSecurityRuleInstanceGet': {
        /** Identifier of the rule instance. */
        uuid: string | null;
        /** Name of the rule. */
        rule_name: string | null;
        /** What the rule does in this group: DISABLED, ALLOWING or BLOCKING. */
        state: string | null;
        /** Subject of the rule: ARTIFACT or METADATA; null for a custom rule. */
        rule_type: string | null;
        /** Values that are set for this group. */
        field_values: unknown;
        /** Description of the rule. */
        rule_description: string | null;
        /** Identifier of the rule; null for a custom rule. */
        security_rule_uuid: string | null;
        /** Identifier of the security group. */
        security_group_uuid: string | null;
        /** When it was created. */
        created_at: string | null;
        /** When it was last changed. */
        updated_at: string | null;
        /** Tenant services group. */
        tsg_id: string | null;
      };
    };
  };
  /** Set the state of a rule instance, or values of its fields; other fields keep their values. */
  'aisec-model-security-rule-instances-update': {
    args: {
      /** Identifier of the security group. */
      security_group_uuid: string;
      /** Identifier of the rule instance. */
      rule_instance_uuid: string;
      /** State of the rule in this group: its effect if the rule fails. */
      state?: 'DISABLED' | 'ALLOWING' | 'BLOCKING' | undefined;
      /** Values by field, such as {"approved_formats": ["safetensors"]}; an empty list clears a field. */
      field_values?: object | string | undefined;
    };
    outputs: {
      'AiSec.ModelSecurityRuleInstanceUpdate': {
        /** Identifier of the rule instance. */
        uuid: string | null;
        /** Name of the rule. */
        rule_name: string | null;
        /** What the rule does in this group: DISABLED, ALLOWING or BLOCKING. */
        state: string | null;
        /** Subject of the rule: ARTIFACT or METADATA; null for a custom rule. */
        rule_type: string | null;
        /** Values that are set for this group. */
        field_values: unknown;
        /** Description of the rule. */
        rule_description: string | null;
        /** Identifier of the rule; null for a custom rule. */
        security_rule_uuid: string | null;
        /** Identifier of the security group. */
        security_group_uuid: string | null;
        /** When it was created. */
        created_at: string | null;
        /** When it was last changed. */
        updated_at: string | null;
        /** Tenant services group. */
        tsg_id: string | null;
      };
    };
  };
  /** List the model scans, the newest first. */
  'aisec-model-security-scans-list': {
    args: {
      /** Maximum number of records to return. */
      limit?: Count | undefined;
      /** Number of records to skip before the first one. */
      skip?: Count | undefined;
      /** Number of records to skip before the first one. */
      offset?: Count | undefined;
    };
    outputs: {
      'AiSec.ModelSecurityScan': ({
        /** Identifier of the scan. */
        uuid: string | null;
        /** Address or path of the model. */
        model_uri: string | null;
        /** Outcome: PENDING, then ALLOWED, BLOCKED or ERROR. */
        eval_outcome: string | null;
        /** Where the model is: MODEL_HUB, LOCAL, STORE_A, STORE_B or STORE_C. */
        source_type: string | null;
        /** Name of the security group. */
        security_group_name: string | null;
        /** When it was created. */
        created_at: string | null;
        /** Identifier of the security group. */
        security_group_uuid: string | null;
        /** What started the scan: MODEL_SECURITY_SDK, MODEL_SECURITY_API, MODEL_SECURITY_FRONTEND or MODEL_HUB. */
        scan_origin: string | null;
        /** When it was last changed. */
        updated_at: string | null;
        /** Who created the scan. */
        created_by: string | null;
      })[];
    };
  };
  /** Scan a model against the rules of a security group; wait=true waits for the outcome. */
  'aisec-model-security-scans-create': {
    args: {
      /** Model to scan: its address at a model hub, or a local path. */
      model_uri: string;
      /** Identifier of the security group; its source must match the model. */
      security_group_uuid: string;
      /** Origin of the scan. */
      scan_origin?: 'MODEL_SECURITY_SDK' | 'MODEL_SECURITY_API' | 'MODEL_SECURITY_FRONTEND' | 'MODEL_HUB' | Text | undefined;
      /** Name of the model in the catalogue. */
      model_name?: string | undefined;
      /** Author of the model. */
      model_author?: string | undefined;
      /** Version of the model; at a model hub, a commit. */
      model_version?: string | undefined;
      /** Labels of the scan, a JSON array of {"key": "...", "value": "..."}, at most 50. */
      labels?: readonly ({
        key: string;
        value: string;
        [member: string]: unknown;
      })[] | string | undefined;
      /** Wait for the end of the scan, and return its result as well. */
      wait?: Flag | undefined;
      /** Maximum time to wait, in seconds. */
      timeout?: Count | undefined;
      /** Time between two polls, in seconds. */
      interval?: Count | undefined;
    };
    outputs: {
      'AiSec.ModelSecurityScanCreate': {
        /** Identifier of the scan. */
        uuid: string;
        /** Address or path of the model. */
        model_uri: string | null;
        /** Outcome: PENDING, then ALLOWED, BLOCKED or ERROR. */
        eval_outcome: string | null;
        /** Where the model is: MODEL_HUB, LOCAL, STORE_A, STORE_B or STORE_C. */
        source_type: string | null;
        /** Name of the security group. */
        security_group_name: string | null;
        /** Identifier of the security group. */
        security_group_uuid: string | null;
        /** What started the scan: MODEL_SECURITY_SDK, MODEL_SECURITY_API, MODEL_SECURITY_FRONTEND or MODEL_HUB. */
        scan_origin: string | null;
        /** Labels of the scan, each a key and a value. */
        labels: ({
          /** Key of the label. */
          key: string | null;
          /** Value of the label. */
          value: string | null;
        })[] | null;
        /** Number of rules that passed; null until they ran. */
        rules_passed: number | null;
        /** Number of rules that failed; null until they ran. */
        rules_failed: number | null;
        /** Number of rules; null until they ran. */
        total_rules: number | null;
        /** Who owns the scan. */
        owner: string | null;
        /** When it was created. */
        created_at: string | null;
        /** When it was last changed. */
        updated_at: string | null;
        /** Tenant services group. */
        tsg_id: string | null;
      };
      'AiSec.ModelSecurityScanGet'?: {
        /** Identifier of the scan. */
        uuid: string | null;
        /** Address or path of the model. */
        model_uri: string | null;
        /** Outcome: PENDING, then ALLOWED, BLOCKED or ERROR. */
        eval_outcome: string | null;
        /** Error code; null if the scan did not fail. */
        error_code: string | null;
        /** Error message; null if the scan did not fail. */
        error_message: string | null;
        /** Where the model is: MODEL_HUB, LOCAL, STORE_A, STORE_B or STORE_C. */
        source_type: string | null;
        /** Name of the security group. */
        security_group_name: string | null;
        /** Identifier of the security group. */
        security_group_uuid: string | null;
        /** Number of rules that passed; null until they ran. */
        rules_passed: number | null;
        /** Number of rules that failed; null until they ran. */
        rules_failed: number | null;
        /** Number of rules; null until they ran. */
        total_rules: number | null;
        /** Number of rules that the group had enabled when the scan began. */
        enabled_rule_count_snapshot: number | null;
        /** Number of files that were scanned. */
        total_files_scanned: number | null;
        /** Number of files that were skipped. */
        total_files_skipped: number | null;
        /** File formats that were detected. */
        model_formats: unknown;
        /** Identifier of the version in the model catalogue. */
        model_version_uuid: string | null;
        /** Version of the scanner. */
        scanner_version: string | null;
        /** What started the scan: MODEL_SECURITY_SDK, MODEL_SECURITY_API, MODEL_SECURITY_FRONTEND or MODEL_HUB. */
        scan_origin: string | null;
        /** Who owns the scan. */
        owner: string | null;
        /** Who created the scan. */
        created_by: string | null;
        /** When the scan began. */
        time_started: string | null;
        /** When it was created. */
        created_at: string | null;
        /** When it was last changed. */
        updated_at: string | null;
        /** Tenant services group. */
        tsg_id: string | null;
      };
    };
  };
  /** Get a model scan. */
  'aisec-model-security-scans-get': {
    args: {
      /** Identifier of the scan. */
      uuid: string;
    };
    outputs: {
      'AiSec.ModelSecurityScanGet': {
        /** Identifier of the scan. */
        uuid: string | null;
        /** Address or path of the model. */
        model_uri: string | null;
        /** Outcome: PENDING, then ALLOWED, BLOCKED or ERROR. */
        eval_outcome: string | null;
        /** Error code; null if the scan did not fail. */
        error_code: string | null;
        /** Error message; null if the scan did not fail. */
        error_message: string | null;
        /** Where the model is: MODEL_HUB, LOCAL, STORE_A, STORE_B or STORE_C. */
        source_type: string | null;
        /** Name of the security group. */
        security_group_name: string | null;
        /** Identifier of the security group. */
        security_group_uuid: string | null;
        /** Number of rules that passed; null until they ran. */
        rules_passed: number | null;
        /** Number of rules that failed; null until they ran. */
        rules_failed: number | null;
        /** Number of rules; null until they ran. */
        total_rules: number | null;
        /** Number of rules that the group had enabled when the scan began. */
        enabled_rule_count_snapshot: number | null;
        /** Number of files that were scanned. */
        total_files_scanned: number | null;
        /** Number of files that were skipped. */
        total_files_skipped: number | null;
        /** File formats that were detected. */
        model_formats: unknown;
        /** Identifier of the version in the model catalogue. */
        model_version_uuid: string | null;
        /** Version of the scanner. */
        scanner_version: string | null;
        /** What started the scan: MODEL_SECURITY_SDK, MODEL_SECURITY_API, MODEL_SECURITY_FRONTEND or MODEL_HUB. */
        scan_origin: string | null;
        /** Who owns the scan. */
        owner: string | null;
        /** Who created the scan. */
        created_by: string | null;
        /** When the scan began. */
        time_started: string | null;
        /** When it was created. */
        created_at: string | null;
        /** When it was last changed. */
        updated_at: string | null;
        /** Tenant services group. */
        tsg_id: string | null;
      };
    };
  };
  /** List the violations of a model scan. */
  'aisec-model-security-scans-violations': {
    args: {
      /** Identifier of the scan. */
      uuid: string;
      /** Maximum number of records to return. */
      limit?: Count | undefined;
      /** Number of records to skip before the first one. */
      offset?: Count | undefined;
    };
    outputs: {
      'AiSec.ModelSecurityViolation': {
        /** Identifier of the scan. */
        scan_uuid: string | null;
        /** Violations of the scan. */
        violations: ({
          /** Identifier of the violation. */
          uuid: string | null;
          /** Name of the rule. */
          rule_name: string | null;
          /** What the rule does in this group: BLOCKING, ALLOWING or DISABLED. */
          rule_instance_state: string | null;
          /** Type of the threat. */
          threat: string | null;
          /** What the threat means. */
          threat_description: string | null;
          /** Path of the file in the model. */
          file: string | null;
          /** What was found. */
          description: string | null;
          /** Module that the file would load. */
          module: string | null;
          /** Operator that the file would run. */
          operator: string | null;
          /** Hash of the file. */
          hash: string | null;
          /** Description of the rule. */
          rule_description: string | null;
          /** Identifier of the rule instance. */
          rule_instance_uuid: string | null;
          /** When it was created. */
          created_at: string | null;
          /** When it was last changed. */
          updated_at: string | null;
          /** Tenant services group. */
          tsg_id: string | null;
        })[] | null;
        /** Total number, if the service reports it. */
        total_items: number | null;
        /** Requested number of records. */
        limit: number | null;
        /** Number of skipped records. */
        offset: number | null;
      };
    };
  };
  /** Get one violation of a model scan. */
  'aisec-model-security-scans-violation': {
    args: {
      /** Identifier of the violation. */
      uuid: string;
    };
    outputs: {
      'AiSec.ModelSecurityViolationDetail': {
        /** Identifier of the violation. */
        uuid: string | null;
        /** Name of the rule. */
        rule_name: string | null;
        /** What the rule does in this group: BLOCKING, ALLOWING or DISABLED. */
        rule_instance_state: string | null;
        /** Type of the threat. */
        threat: string | null;
        /** What the threat means. */
        threat_description: string | null;
        /** Path of the file in the model. */
        file: string | null;
        /** What was found. */
        description: string | null;
        /** Module that the file would load. */
        module: string | null;
        /** Operator that the file would run. */
        operator: string | null;
        /** Hash of the file. */
        hash: string | null;
        /** Description of the rule. */
        rule_description: string | null;
        /** Identifier of the rule instance. */
        rule_instance_uuid: string | null;
        /** When it was created. */
        created_at: string | null;
        /** When it was last changed. */
        updated_at: string | null;
        /** Tenant services group. */
        tsg_id: string | null;
      };
    };
  };
  /** Get the evaluation of one rule in a model scan. */
  'aisec-model-security-scans-evaluation': {
    args: {
      /** Identifier of the evaluation. */
      uuid: string;
    };
    outputs: {
      'AiSec.ModelSecurityEvaluation': {
        /** Identifier of the evaluation. */
        uuid: string | null;
        /** Name of the rule. */
        rule_name: string | null;
        /** Result: PASSED, FAILED or ERROR. */
        result: string | null;
        /** Number of violations. */
        violation_count: number | null;
        /** What the rule does in this group: BLOCKING, ALLOWING or DISABLED. */
        rule_instance_state: string | null;
        /** Description of the rule. */
        rule_description: string | null;
        /** Identifier of the scan. */
        scan_uuid: string | null;
        /** Identifier of the rule instance. */
        rule_instance_uuid: string | null;
        /** When it was created. */
        created_at: string | null;
        /** When it was last changed. */
        updated_at: string | null;
        /** Tenant services group. */
        tsg_id: string | null;
      };
    };
  };
  /** List the evaluations of the rules in a model scan. */
  'aisec-model-security-scans-evaluations': {
    args: {
      /** Identifier of the scan. */
      scan_uuid: string;
      /** Maximum number of records to return. */
      limit?: Count | undefined;
      /** Number of records to skip before the first one. */
      offset?: Count | undefined;
      /** Field to sort by. */
      sort_field?: 'created_at' | 'updated_at' | undefined;
      /** Sort order, ascending or descending. */
      sort_order?: 'asc' | 'desc' | undefined;
      /** Return only evaluations with this result. */
      result?: 'PASSED' | 'FAILED' | 'ERROR' | undefined;
      /** Return only evaluations of this rule instance. */
      rule_instance_uuid?: string | undefined;
    };
    outputs: {
      'AiSec.ModelSecurityEvaluations': {
        /** Identifier of the scan. */
        scan_uuid: string | null;
        /** Evaluations of the scan, one for each rule. */
        evaluations: ({
          /** Identifier of the evaluation. */
          uuid: string | null;
          /** Name of the rule. */
          rule_name: string | null;
          /** Result: PASSED, FAILED or ERROR. */
          result: string | null;
          /** Number of violations. */
          violation_count: number | null;
          /** What the rule does in this group: BLOCKING, ALLOWING or DISABLED. */
          rule_instance_state: string | null;
          /** Description of the rule. */
          rule_description: string | null;
          /** Identifier of the scan. */
          scan_uuid: string | null;
          /** Identifier of the rule instance. */
          rule_instance_uuid: string | null;
          /** When it was created. */
          created_at: string | null;
          /** When it was last changed. */
          updated_at: string | null;
          /** Tenant services group. */
          tsg_id: string | null;
        })[] | null;
        /** Total number, if the service reports it. */
        total_items: number | null;
        /** Requested number of records. */
        limit: number | null;
        /** Number of skipped records. */
        offset: number | null;
      };
    };
  };
  /** List all files and folders of a model scan, including nested ones. */
  'aisec-model-security-scans-files': {
    args: {
      /** Identifier of the scan. */
      scan_uuid: string;
      /** Maximum number of records to return. */
      limit?: Count | undefined;
      /** Number of records to skip before the first one. */
      offset?: Count | undefined;
      /** Field to sort by. */
      sort_field?: 'path' | 'type' | undefined;
      /** Sort order, ascending or descending. */
      sort_dir?: 'asc' | 'desc' | undefined;
      /** Return only files, or only folders. */
      type?: 'FILE' | 'DIRECTORY' | undefined;
      /** Return only entries with this result; FAILURE is every file that failed or could not be scanned. */
      result?: 'SUCCESS' | 'FAILURE' | undefined;
      /** Return only entries under this path. */
      query_path?: string | undefined;
    };
    outputs: {
      'AiSec.ModelSecurityFiles': {
        /** Identifier of the scan. */
        scan_uuid: string | null;
        /** Files and folders of the scanned model. */
        files: ({
          /** Identifier of the entry. */
          uuid: string | null;
          /** Path in the model. */
          path: string | null;
          /** Path of the folder that it is in. */
          parent_path: string | null;
          /** FILE or DIRECTORY. */
          type: string | null;
          /** SUCCESS, FAILURE, or another value of the service. */
          result: string | null;
          /** File formats that were detected. */
          formats: unknown;
          /** Identifier of the version in the model catalogue. */
          model_version_uuid: string | null;
          /** Identifier of the content. */
          blob_id: string | null;
          /** Identifier of the scan. */
          scan_uuid: string | null;
          /** When it was created. */
          created_at: string | null;
          /** When it was last changed. */
          updated_at: string | null;
          /** Tenant services group. */
          tsg_id: string | null;
        })[] | null;
        /** Total number, if the service reports it. */
        total_items: number | null;
        /** Requested number of records. */
        limit: number | null;
        /** Number of skipped records. */
        offset: number | null;
      };
    };
  };
  /** List the security groups. */
  'aisec-model-security-groups-list': {
    args: {
      /** Maximum number of records to return. */
      limit?: Count | undefined;
      /** Number of records to skip before the first one. */
      skip?: Count | undefined;
      /** Number of records to skip before the first one. */
      offset?: Count | undefined;
    };
    outputs: {
      'AiSec.ModelSecurityGroup': ({
        /** Identifier of the security group. */
        uuid: string | null;
        /** Name of the security group. */
        name: string | null;
        /** PENDING, then ACTIVE. */
        state: string | null;
        /** Source of its models: MODEL_HUB, LOCAL, STORE_A, STORE_B or STORE_C. */
        source_type: string | null;
        /** What the group is for. */
        description: string | null;
        /** Whether it is marked for deletion. */
        is_tombstone: boolean | null;
        /** When it was created. */
        created_at: string | null;
        /** When it was last changed. */
        updated_at: string | null;
        /** Tenant services group. */
        tsg_id: string | null;
      })[];
    };
  };
  /** Get a security group; a deleted group can still be read. */
  'aisec-model-security-groups-get': {
    args: {
      /** Identifier of the security group. */
      uuid: string;
    };
    outputs: {
      'AiSec.ModelSecurityGroupGet': {
        /** Identifier of the security group. */
        uuid: string | null;
        /** Name of the security group. */
        name: string | null;
        /** PENDING, then ACTIVE. */
        state: string | null;
        /** Source of its models: MODEL_HUB, LOCAL, STORE_A, STORE_B or STORE_C. */
        source_type: string | null;
        /** What the group is for. */
        description: string | null;
        /** Whether it is marked for deletion. */
        is_tombstone: boolean | null;
        /** When it was created. */
        created_at: string | null;
        /** When it was last changed. */
        updated_at: string | null;
        /** Tenant services group. */
        tsg_id: string | null;
      };
    };
  };
  /** Create a security group; it gets an instance of every rule for its source, and is PENDING at first. */
  'aisec-model-security-groups-create': {
    args: {
      /** Name of the security group. */
      name: string;
      /** Source of the models that are scanned with it; it cannot be changed. */
      source_type: 'MODEL_HUB' | 'LOCAL' | 'STORE_A' | 'STORE_B' | 'STORE_C' | Text;
      /** Description of the security group. */
      description?: string | undefined;
    };
    outputs: {
      'AiSec.ModelSecurityGroupAdd': {
        /** Identifier of the security group. */
        uuid: string | null;
        /** Name of the security group. */
        name: string | null;
        /** PENDING, then ACTIVE. */
        state: string | null;
        /** Source of its models: MODEL_HUB, LOCAL, STORE_A, STORE_B or STORE_C. */
        source_type: string | null;
        /** What the group is for. */
        description: string | null;
        /** Whether it is marked for deletion. */
        is_tombstone: boolean | null;
        /** When it was created. */
        created_at: string | null;
        /** When it was last changed. */
        updated_at: string | null;
        /** Tenant services group. */
        tsg_id: string | null;
      };
    };
  };
  /** Change the name or the description of a security group; omitted fields keep their values. */
  'aisec-model-security-groups-update': {
    args: {
      /** Identifier of the security group. */
      uuid: string;
      /** New name of the security group. */
      name?: string | undefined;
      /** New description of the security group. */
      description?: string | undefined;
    };
    outputs: {
      'AiSec.ModelSecurityGroupUpdate': {
        /** Identifier of the security group. */
        uuid: string | null;
        /** Name of the security group. */
        name: string | null;
        /** PENDING, then ACTIVE. */
        state: string | null;
        /** Source of its models: MODEL_HUB, LOCAL, STORE_A, STORE_B or STORE_C. */
        source_type: string | null;
        /** What the group is for. */
        description: string | null;
        /** Whether it is marked for deletion. */
        is_tombstone: boolean | null;
        /** When it was created. */
        created_at: string | null;
        /** When it was last changed. */
        updated_at: string | null;
        /** Tenant services group. */
        tsg_id: string | null;
      };
    };
  };
  /** Delete a security group: it disappears from lists, but can still be read by its UUID. */
  'aisec-model-security-groups-delete': {
    args: {
      /** Identifier of the security group. */
      uuid: string;
    };
    outputs: {
      'AiSec.ModelSecurityGroupDelete': {
        /** Identifier of the security group. */
        uuid: string | null;
        /** Whether the service confirmed the deletion. */
        deleted: boolean | null;
      };
    };
  };
  /** List the security rules. */
  'aisec-model-security-rules-list': {
    args: {
      /** Maximum number of records to return. */
      limit?: Count | undefined;
      /** Number of records to skip before the first one. */
      skip?: Count | undefined;
      /** Number of records to skip before the first one. */
      offset?: Count | undefined;
    };
    outputs: {
      'AiSec.ModelSecurityRule': ({
        /** Identifier of the rule. */
        uuid: string | null;
        /** Name of the rule. */
        name: string | null;
        /** Subject of the rule: ARTIFACT or METADATA. */
        rule_type: string | null;
        /** State in a new group: DISABLED, ALLOWING or BLOCKING. */
        default_state: string | null;
        /** Sources that it applies to. */
        compatible_sources: unknown;
        /** Description of the rule. */
        description: string | null;
      })[];
    };
  };
  /** Get a security rule with its remediation. */
  'aisec-model-security-rules-get': {
    args: {
      /** Identifier of the rule. */
      uuid: string;
    };
    outputs: {
      'AiSec.ModelSecurityRuleGet': {
        /** Identifier of the rule. */
        uuid: string | null;
        /** Name of the rule. */
        name: string | null;
        /** Subject of the rule: ARTIFACT or METADATA. */
        rule_type: string | null;
        /** State in a new group: DISABLED, ALLOWING or BLOCKING. */
        default_state: string | null;
        /** Sources that it applies to. */
        compatible_sources: unknown;
        /** Description of the rule. */
        description: string | null;
        /** How to fix its findings. */
        remediation_description: string | null;
        /** Steps of the remediation. */
        remediation_steps: unknown;
        /** Links to more information. */
        remediation_url: string | null;
        /** Fields that a rule instance may set. */
        editable_fields: (unknown)[] | null;
        /** Values that cannot be changed. */
        constant_values: unknown;
        /** Default values. */
        default_values: unknown;
      };
    };
  };
}

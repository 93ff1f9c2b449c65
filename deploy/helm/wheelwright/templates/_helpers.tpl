{{/* The name of the chart's objects, unique per release, so that RoleBindings of a removed release grant nothing to others. */}}
{{- define "wheelwright.name" -}}
{{- $release := .Release.Name }}
{{- if gt (len $release) 28 }}{{ $release = printf "%s-%s" ($release | trunc 21 | trimSuffix "-") (sha256sum $release | trunc 6) }}{{ end }}
{{- if regexMatch "^wheelwright(-|$)" $release }}{{ $release }}{{ else }}{{ printf "%s-wheelwright" $release }}{{ end }}
{{- end }}

{{/* RELEASE_ID: the Helm release's name, or its beginning and a hash if the name is too long or has other characters. */}}
{{- define "wheelwright.releaseId" -}}
{{- if .Values.releaseId }}{{ .Values.releaseId }}
{{- else if regexMatch "^[a-z][a-z0-9]{0,15}$" .Release.Name }}{{ .Release.Name }}
{{- else }}{{ regexReplaceAll "^[^a-z]+|[^a-z0-9]" .Release.Name "" | trunc 9 | default "r" }}{{ .Release.Name | sha256sum | trunc 6 }}
{{- end }}
{{- end }}

{{- define "wheelwright.selector" -}}
app.kubernetes.io/name: wheelwright
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "wheelwright.labels" -}}
{{ include "wheelwright.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "wheelwright.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{/* The user name of the service account that manages spokes, for admission policies. */}}
{{- define "wheelwright.user" -}}
system:serviceaccount:{{ .Release.Namespace }}:{{ include "wheelwright.name" . }}
{{- end }}

{{/* The beginning of an admission policy for Wheelwright's service account. Argument: (list $ "name suffix"). */}}
{{- define "wheelwright.policy" -}}
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata:
  name: {{ include "wheelwright.name" (first .) }}-{{ last . }}
  labels:
    {{- include "wheelwright.labels" (first .) | nindent 4 }}
spec:
  failurePolicy: Fail
  matchConditions:
    - name: wheelwright
      expression: request.userInfo.username == "{{ include "wheelwright.user" (first .) }}"
{{- end }}

{{/* The ClusterIssuers that Wheelwright creates if ACME_EMAIL is set, as a JSON list of {name, server}, like lib/catalog/inputs.ts. */}}
{{- define "wheelwright.issuers" -}}
{{- $issuers := dict }}
{{- if .Values.config.ACME_EMAIL }}
{{- $usual := dict "tls" "acme" "ingressClass" "nginx" "acmeServer" "https://acme-v02.api.letsencrypt.org/directory" }}
{{- $base := merge (get .Values.blueprint "surroundings.yaml" | default "{}" | fromYaml) $usual }}
{{- $regions := get (.Values.catalog | default "{}" | fromYaml) "regions" | default list }}
{{- range prepend $regions dict }}
{{- $there := merge (deepCopy (get . "cluster" | default dict)) $base }}
{{- if and (eq $there.tls "acme") (not $there.issuer) }}
{{- $_ := set $issuers (printf "wheelwright-%s-%s" (include "wheelwright.releaseId" $) $there.ingressClass) $there.acmeServer }}
{{- end }}
{{- end }}
{{- end }}
{{- $list := list }}
{{- range $name, $server := $issuers }}{{ $list = append $list (dict "name" $name "server" $server) }}{{ end }}
{{- toJson $list }}
{{- end }}

{{/* The names in a list of ClusterIssuers, as JSON. */}}
{{- define "wheelwright.names" -}}
{{- $names := list }}
{{- range . }}{{ $names = append $names .name }}{{ end }}
{{- toJson $names }}
{{- end }}

{{- define "wheelwright.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "wheelwright.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{/* The fields that all pods share, except their containers. */}}
{{- define "wheelwright.pod" -}}
securityContext:
  {{- include "wheelwright.podSecurity" . | nindent 2 }}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

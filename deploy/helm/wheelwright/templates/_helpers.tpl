{{- define "wheelwright.name" -}}
{{- if contains "wheelwright" .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{ else }}{{ printf "%s-wheelwright" (.Release.Name | trunc 28 | trimSuffix "-") }}{{ end }}
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

{{/* The account that works on spokes, as admission policies know it. */}}
{{- define "wheelwright.user" -}}
system:serviceaccount:{{ .Release.Namespace }}:{{ include "wheelwright.name" . }}
{{- end }}

{{/* The head of an admission policy for that account: (list $ "what it is about"). */}}
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

{{/* What all pods have in common, beside their containers. */}}
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

# Brazilian Portuguese: the text of briefs. A line that begins with four spaces continues the one
# before.
#
# One word for each concept, as makers' and reviewers' texts in Brazil write it, and what is never
# written in its place; `*` stands for any ending. `crates/report/src/language/tests_words.rs` reads this table and
# holds the messages to it.
#
# | concept | word | never |
# |---|---|---|
# | latency | latência | atraso médio, latency |
# | read | leitura | de read, reads, lida aleatória |
# | write | gravação | escrita, escritas, escrito, escritos, escrever*, escrev*, de write, writes |
# | op | op | operação, operações |
# | subject | objeto | alvo, alvos, sujeito, sujeitos |
# | engine | mecanismo | motor, motores, engine, engines |
# | stream | fluxo | stream, streams |
# | step | etapa | passo, passos |
# | sweep | varredura | sweep, varrimento |
# | repeat | repetição | iteração, iterações, repeat |
# | scatter | dispersão | espalhamento, espalham |
# | sample | amostra | amostragem |
# | throughput | vazão | throughput, débito |
# | queue depth | profundidade de fila | profundidade da fila |
# | bottleneck | gargalo | estrangulamento |
# | steady state | estado estável | estado estacionário, regime permanente |
# | preconditioning | pré-condicionamento | precondicionamento, pré condicionamento |
# | noisy neighbour | vizinho barulhento | vizinho ruidoso, carga vizinha, noisy |
# | write pressure | pressão de gravação | pressão de escrita |
# | thermal throttling | limitação térmica | throttling |
# | endurance | resistência | endurance, vida útil |
# | durable | durável | persistente |
# | power, of a drive | consumo | potência, potências |
# | dataset | conjunto de dados | dataset, base de dados |
# | directory | diretório | pasta, pastas |
# | outlier | valores extremos | outlier, discrepante |
# | caveat | ressalva | advertência, caveat |
# | claim | afirmação | alegação, claim |
# | lower bound | limite inferior | cota inferior |
# | Brazilian, not European | arquivo | ficheiro, ecrã, rato, utilizador, correm, correram |

## Lists, and what is not known
percent = %
list-comma = {", "}
list-and = { $first } e { $last }
clause-break = {"; "}
in-brackets = ({ $what })
aside = {" "}({ $what })
with-detail = { $what } ({ $detail })
date-unknown = data desconhecida

## Sections
appendix = Apêndice { $letter }. { $title }
section-summary = Resumo
section-results = Resultados
section-tpcc = TPC-C
section-training = Utilização dos aceleradores
section-kv-cache = Caches de chaves e valores de modelos de linguagem
section-vector-search = Busca vetorial
section-replay = Reprodução de cargas registradas
section-limit = Carga dentro de um limite de latência
section-multiple = Maior múltiplo da carga
section-equal-latency = Carga a latência igual
section-fairness = Diferenças nas condições de teste
section-findings = Todas as afirmações
section-differences = Todas as diferenças
section-figures = Outros gráficos
section-energy = Consumo e energia
section-write-cost = Custo das gravações
section-limits = Gargalo
section-outliers = Valores extremos
section-drives = Por drive e por instância
section-preparation = Preparação
section-conclusion = Conclusão
section-marks = Ressalvas
section-method = Método de medição: definições e fórmulas
section-data = Dados completos
section-server = Servidor
section-disclosure = Detalhes completos do ambiente

## Columns of tables
column-step = etapa
column-figure = métrica
column-pair = par
column-comparisons = comparações
column-first-better = primeiro superior
column-second-better = segundo superior
column-not-distinguishable = sem diferença
column-not-ranked = sem classificação

## Conclusion
conclusion-how = Resultado de cada comparação:
conclusion-limits =
    Cada intervalo reflete a dispersão entre repetições neste host e nestes drives. Os resultados valem
    para estes drives, com este firmware, neste host e com este software, sob estas cargas; a seção
    “Detalhes completos do ambiente” os descreve. Um único drive não representa todos os do seu modelo.

## Figures of power
power-of = consumo ({ $class })
ops-per-watt-of = ops/s por watt ({ $class })
ops-per-watt = ops/s por watt
power-against-throughput = consumo ({ $class }) em função da vazão, por { $axis }
power-over-time = vazão e consumo ao longo do tempo{ $at }
power-and-temperature-over-time = vazão, consumo e temperatura ao longo do tempo{ $at }

## Numbers
given-up = {" "}({ $count } abandonadas)
range = { $low } a { $high }
maximum = máximo (malha fechada)
at-least = pelo menos { $difference }
per-op = { $energy } por op

## Metrics
mean = média
latency = latência { $figure }
latency-of = latência { $figure } de { $class }
response-time = tempo de resposta { $figure }
response-time-of = tempo de resposta { $figure } de { $class }
ops-per-watt-by = ops/s por watt ({ $class }, { $kind })
mb-per-watt-by = MB/s por watt ({ $class }, { $kind })
energy-per-op-by = energia por op ({ $class }, { $kind })
energy-per-tb-by = energia por TB ({ $class }, { $kind })
write-amplification = amplificação de gravação
new-orders-per-minute = New-Orders por minuto
of-part = { $figure } de { $part }
per-minute = { $class }/min
percentile = p{ $value }
metric-of-instrument = { $metric }, { $class } ({ $kind })

## Axes, and places on them
axis-threads = threads
axis-depth = profundidade de fila
axis-asked-ops = ops/s solicitadas
axis-asked-rate = taxa solicitada
axis-load = carga
axis-block = tamanho de bloco
axis-instances = instâncias
axis-of-stream = { $key ->
        [threads] { axis-threads }
        [depth] { axis-depth }
        [rate] { axis-asked-rate }
        [load] { axis-load }
        [block] { axis-block }
        [instances] { axis-instances }
        [scale] { axis-scale }
        [device] { axis-trace-device }
        [start] { axis-trace-start }
        [remap] { axis-trace-remap }
        [pace] { axis-trace-pace }
        [search_list] { axis-search-list }
        [beam] { axis-beam }
       *[other] { $key }
    } de { $stream }
place-on-axis = { $what }, { $axis } { $value }
at-one-thread = {" "}com 1 thread
at-threads = {" "}com { $values } threads
at-depth = {" "}com profundidade de fila { $values }
at-ops-asked = {" "}a { $values } ops/s solicitadas
at-rate-asked = {" "}com taxa solicitada de { $values }
at-load = {" "}com carga de { $values }
at-maximum-load = {" "}com carga máxima
at-one-instance = {" "}com 1 instância
at-instances = {" "}com { $values } instâncias
at-blocks = {" "}com blocos de { $values }
at-every-thread-count = {" "}com qualquer número de threads ({ $low } a { $high })
at-every-depth = {" "}com qualquer profundidade de fila ({ $low } a { $high })
at-every-rate = {" "}com qualquer taxa ({ $low } a { $high })
at-every-load = {" "}com qualquer carga ({ $low } a { $high })
at-every-instance-count = {" "}com qualquer número de instâncias ({ $low } a { $high })
at-every-block-size = {" "}com qualquer tamanho de bloco ({ $low } a { $high })
at-equal-load-of = {" "}com carga igual de { $load } ops/s
at-equal-p99-of = {" "}com p99 igual de { $latency }
within-the-latency-limit = {" "}dentro do limite de latência
on-average-over = {" "}em média, em { $count } pontos
on-average-over-loads = {" "}em média, em { $count } cargas iguais

## Claims
difference-footnote =
    Diferença: o objeto superior, de quanto é a diferença e o intervalo simultâneo de 95%; um ganho
    (superior ÷ inferior − 1) quando maior é melhor, uma redução (1 − novo ÷ antigo) para latências. ▲
    demonstrada, ≥ limite inferior (o objeto superior não foi limitado pelo seu drive), ≈ sem diferença
    demonstrada, ‡ sem classificação (o objeto inferior não foi limitado pelo seu drive). Todos os
    intervalos de um relatório valem em conjunto com probabilidade de 95%.
claim-more = { $better } entrega { $by } mais { $what } que { $worse }{ $at }
claim-lower = { $better } tem { $what } { $by } menor que { $worse }{ $at }
claim-less = { $better } consome { $by } menos { $what } que { $worse }{ $at }
claims-more = { $better } entrega { $rivals }{ $at }
claims-lower = { $better } tem { $rivals }{ $at }
claims-less = { $better } consome { $rivals }{ $at }
rival-more-of = { $by } mais { $what } que { $worse }
rival-times-of = { $by } o valor de { $worse } em { $what }
rival-lower-of = { $what } { $by } menor que { $worse }
rival-less-of = { $by } menos { $what } que { $worse }
rival-more = { $by } mais que { $worse }
rival-times = { $by } o valor de { $worse }
rival-lower = { $by } menor que { $worse }
rival-less = { $by } menos que { $worse }
with-knob = { $subject } com { $knob }
claim-family = { $comparisons ->
        [one] { $repeats } repetições; intervalo de uma única comparação
       *[other] { $repeats } repetições; intervalo simultâneo de { $comparisons } comparações
    }
claim-sessions = sessões como efeito aleatório: { $better } e { $worse }
claim-largest-of = { $points ->
        [one] o único ponto que a demonstra
       *[other] a maior entre { $points } pontos que a demonstram
    }
claim-untested = janelas de { $window }, curtas demais para detectar deriva
claim-no-drive = as requisições de { $better } não chegaram a nenhum drive
claim-host-limited = { $better } foi limitado pelo host, portanto seu drive pode ser ainda melhor
calculation-how = { $calculation }, { $how }
adjusted-for-order = níveis ajustados pela ordem de medição
of-common-repeats = níveis das repetições que ambos completaram
figures-beside = { $own } e { $other }
in-separate-runs = medidos em execuções separadas
order-not-given = ordem de medição não informada
calculation-less = { $calculation }, { $difference } a menos
of-step = { $step }: { $sentence }
full-stop = { $sentence }.
crossed-lower = { $before } tem a menor { $what } até { $until }, e { $after } a partir de { $from }
crossed-higher = { $before } tem mais { $what } até { $until }, e { $after } a partir de { $from }
differs = { $what }: { $values }
not-comparable = { $other } e { $first } não são comparáveis: { $differences }.
not-comparable-in =
    { $other } e { $first } não são comparáveis em { $step }: { $differences } (se a diferença for o que
    se quer estudar, indique-a com --vary).

## What a claim is of
on-one-device = em um único dispositivo
of-these-two-drives = destes dois drives
of-two-drives = de dois drives, { $first } e { $other }
drives-each = { $count ->
        [one] 1 drive de cada
       *[other] { $count } drives de cada
    }
drives-of-two = { $first } e { $other } drives
of-these-drives = destes drives

## Bottlenecks
evidence-and-remedy = { $evidence }. Para medir o drive: { $remedy }
limit-drive = drive
limit-cpu = CPU do host
limit-memory = memória
limit-no-drive = nenhum drive
limit-control-group = grupo de controle
limit-neighbour = vizinho barulhento
limit-generator = gerador
limit-standstill = parada do Dyno
limit-rate = taxa solicitada
limit-thermal = limitação térmica
limit-locks = espera por locks
limit-undecided = indefinido
limiter-cpu = processadores do host
limiter-memory = memória
limiter-no-drive = host sozinho
limiter-control-group = limites de um grupo de controle
limiter-neighbour = outros programas no mesmo drive
limiter-generator = gerador de carga
limiter-standstill = paradas do próprio Dyno
limiter-locks = espera por locks entre workers
limiter-limited = { $limiter } ({ $count })
limiter-count = { $limiter } ({ $count })

## Caveats
caveat-not-measured = não medido
caveat-failed = { $count ->
        [one] { $count } repetição falhou
       *[other] { $count } repetições falharam
    }
caveat-not-steady = o drive não havia atingido o estado estável
caveat-no-flush = a unidade informa um cache de gravação volátil ligado, mas o kernel o trata como write through e não envia flush nem FUA: essas gravações não foram duráveis
caveat-drifted = as ops/s variaram { $change } ao longo da janela
caveat-missed-rate = atingiu { $share } da taxa solicitada
caveat-stream-missed-rate = o fluxo { $stream } atingiu { $share } da taxa solicitada
caveat-late = { $share } das requisições foram emitidas com atraso
caveat-littles-law =
    ops/s × latência média equivale a { $share } do número médio de requisições em andamento (lei de Little):
    a janela é curta para as requisições mais lentas, ou não foi estável
caveat-few-repeats = { $count ->
        [one] medido uma vez: repita (`--repeats 5`) antes de comparar
       *[other] medido { $count } vezes: repita (`--repeats 5`) antes de comparar
    }
caveat-every-point-few-repeats = { $count ->
        [one] Cada ponto foi medido uma vez: repita (`--repeats 5`) antes de comparar
       *[other] Cada ponto foi medido { $count } vezes: repita (`--repeats 5`) antes de comparar
    }
caveat-not-the-drive = o gargalo não foi o drive ({ $limit }): { $why }
caveat-no-drive = nenhum drive foi medido: { $why }
caveat-of = { $places }, { $subject }: { $caveat }

## Notes
notes = Notas
note-moved-alone-ops =
    a repetição { $repeat } de { $subject } teve { $factor } × as ops/s das demais; seus níveis e razões são
    menos precisos
note-moved-alone-p99 =
    a repetição { $repeat } de { $subject } teve { $factor } × o p99 das demais; seus níveis e razões são menos
    precisos
note-moved-ops = na repetição { $repeat }, { $subjects ->
        [2] os dois objetos tiveram
       *[other] todos os { $subjects } objetos tiveram
    } { $factor } × as ops/s usuais; isso torna os níveis menos precisos, mas não as razões dentro de cada repetição
note-moved-p99 = na repetição { $repeat }, { $subjects ->
        [2] os dois objetos tiveram
       *[other] todos os { $subjects } objetos tiveram
    } { $factor } × o p99 usual; isso torna os níveis menos precisos, mas não as razões dentro de cada repetição
note-device-errors =
    { $place }, { $subject }: o drive ou o seu link contou erros: { $errors }
errors-media = { $count ->
        [one] { $count } erro de dados não recuperado (log de saúde)
       *[other] { $count } erros de dados não recuperados (log de saúde)
    }
errors-log = { $count ->
        [one] { $count } entrada do log de erros
       *[other] { $count } entradas do log de erros
    }
errors-link-correctable = { $count ->
        [one] { $count } erro PCIe corrigido
       *[other] { $count } erros PCIe corrigidos
    }
errors-link-nonfatal = { $count ->
        [one] { $count } erro PCIe não corrigido e não fatal
       *[other] { $count } erros PCIe não corrigidos e não fatais
    }
errors-link-fatal = { $count ->
        [one] { $count } erro PCIe fatal
       *[other] { $count } erros PCIe fatais
    }
note-apart =
    { $place }, { $subject }: o drive { $drive } destoa dos outros { $others } do mesmo modelo: { $ops }
    contra { $usual } ops/s
drives-and-repeats =
    { $drives }, com dispersão de { $by } entre drives e de { $repeats } entre repetições
drives-scatter = { $drives }, com dispersão de { $by } entre drives
note-models =
    por drive, { $better } entrega { $by } mais ops/s que { $worse }, { $drives }; o intervalo trata os
    drives como efeito aleatório e vale isoladamente, fora da família
note-models-open =
    por drive, { $first } e { $other } não se distinguem em ops/s: { $by }, { $drives }; o intervalo
    trata os drives como efeito aleatório e vale isoladamente, fora da família

## The first page
nor = , nem{" "}
apart-there = { $pairs } foram medidos em execuções separadas
undecided-there = nesse ponto não se distinguem { $pairs }
two-sentences = { $first } { $second }
changes-more-times = { $count ->
        [one] { $sentence } O melhor muda mais { $count } vez.
       *[other] { $sentence } O melhor muda mais { $count } vezes.
    }
open-not-limited =
    { $first } e { $other } não podem ser classificados por { $what }, porque o gargalo não foi o drive.
open-too-few =
    { $first } e { $other } não se distinguem por { $what }: { $repeats } repetições não bastam para
    decidir.
open-separate-runs =
    { $first } e { $other } foram medidos em execuções separadas: { $what } também difere entre dois momentos,
    por isso nenhuma diferença é afirmada.
open-order-not-given =
    A ordem de medição de { $first } e { $other } não é informada: { $what } também pode diferir entre dois
    momentos, por isso nenhuma diferença é afirmada.
open-difference =
    { $first } e { $other } não se distinguem por { $what }; a diferença é { $difference }.
alone-watts = { $watts } W
alone-limited-by-drive = O drive foi o limite.
alone-limited-from = O drive foi o limite{ $at } e acima.
alone-limited-otherwise = O drive não foi o limite: { $limit }.
level = { $step }: { $subject }, { $figure }{ $at }.
conditions-published =
    Valores publicados, sem repetições, nas condições declaradas pela fonte, que o Dyno não verificou.
conditions-imported =
    Valores importados, nas condições declaradas pela fonte, que o Dyno não verificou.
measured-times = { $count ->
        [one] Medido uma vez
       *[other] Medido { $count } vezes
    }
window-a-point = janela de { $window } por ponto
kernel = kernel { $release }
brackets-are-intervals =
    entre colchetes, intervalos de 95% que valem em conjunto para todo o relatório
no-rank-none-measured =
    Nenhum drive pode ser classificado aqui, porque nenhum ponto foi medido até o fim. O primeiro: { $first }
no-rank-barred = Nenhum drive pode ser classificado: { $reason }
no-rank-not-comparable-in =
    Nenhum drive pode ser classificado, porque não há dois objetos comparáveis em { $metrics }.
no-rank-separate-runs =
    Nenhum drive pode ser classificado aqui, porque os objetos foram medidos em execuções separadas: meça-os
    alternadamente (um plano com todos).
no-rank-order-not-given =
    Nenhum drive pode ser classificado aqui, porque a fonte não informa que os objetos foram medidos
    alternadamente.
no-rank-chance =
    Nenhum drive pode ser classificado, porque nenhuma diferença supera o que o acaso explica; mais
    repetições estreitam os intervalos (`--repeats 10`).
see-bottleneck = a seção “Gargalo” diz o que mudar
to-measure-the-drive = Para medir o drive: { $change }

## Imported figures

## What a step's figures come to
none-compared-here = Não há objetos comparáveis aqui.
knee-at = a { $load } ops/s com p99 de { $p99 } ({ $subject })
knees = Joelho da curva: { $knees }.
p99-from-to = de { $low } a { $from } até { $high } a { $to } ({ $subject })
p99-moves = O p99 vai { $moves }.
ops-and-p99-change = as ops/s variam { $ops } e o p99 varia { $p99 } ({ $subject })
ops-and-p99 = { $ops } e { $p99 } ({ $subject })
from-to-threads = De { $from } a { $to } threads, { $changes }.
from-to-instances = De { $from } a { $to } instâncias, { $changes }.
from-to = De { $from } a { $to }, { $changes }.
drive-limited = { $points ->
        [one] { $drive ->
            [0] O drive não limitou o único ponto.
           *[other] O drive limitou o único ponto.
        }
       *[other] { $drive ->
            [0] O drive não limitou nenhum dos { $points } pontos.
           *[other] O drive limitou { $drive } de { $points } pontos.
        }
    }
drive-limited-otherwise = { $points ->
        [one] { $drive ->
            [0] O drive não limitou o único ponto; gargalos: { $others }.
           *[other] O drive limitou o único ponto; outros gargalos: { $others }.
        }
       *[other] { $drive ->
            [0] O drive não limitou nenhum dos { $points } pontos; gargalos: { $others }.
           *[other] O drive limitou { $drive } de { $points } pontos; outros gargalos: { $others }.
        }
    }
between-sentences = {" "}

## Bottlenecks, in their section
see-bottleneck-marks = † Não limitado pelo drive: veja “Gargalo”.
see-caveats-marks = † Não limitado pelo drive: veja “Ressalvas”.
bottleneck-how =
    O gargalo é determinado a partir dos contadores do kernel (processadores, dispositivos e processos
    do próprio Dyno) em cada janela e das requisições que o Dyno tinha em andamento. O drive é o gargalo
    de um ponto quando pelo menos metade das requisições da própria carga estava no dispositivo, ou
    quando os workers esperavam por uma que estava; o tempo em flushes conta como do dispositivo.
bottleneck-sum =
    O drive limitou { $drive } de { $points ->
        [one] 1 ponto
       *[other] { $points } pontos
    }. { $others ->
        [one] 1 teve outro gargalo e está marcado com { $mark }: não serve para classificar drives.
       *[other] { $others } tiveram outro gargalo e estão marcados com { $mark }: não servem para
            classificar drives.
    }
bottleneck-rest = Os demais atingiram a taxa solicitada ou estão indefinidos.

## Outliers
outliers-how =
    As 1.000 requisições mais lentas de cada ponto, por tempo de resposta, limitadas a uma em cada cem.
    As parcelas se referem à soma dos seus tempos de resposta. Drive: a requisição estava com o kernel,
    e no máximo um quinto do seu tempo pode ter sido espera por processador. Host: pelo menos metade foi
    espera por processador, ou o Dyno inteiro esteve parado. Todo o resto é desconhecido e não é
    atribuído ao drive. docs/outliers.md traz a regra e os seus limites.
outliers-line =
    { $place }: as { $count } mais lentas, de { $least } a { $most }: drive { $drive }, host { $host },
    desconhecido { $unknown }
outlier =
    { $place }, repetição { $repeat }, aos { $seconds }: { $latency }, { $class } de { $size } bytes em
    { $address } ({ $stream }, drive { $drive }, worker { $worker }, profundidade de fila { $depth }):
    { $cause }, { $reason }
outlier-beside = { $outlier }; ao mesmo tempo: { $beside }
slow-commands-how =
    Comandos lentos pela contagem do próprio drive (monitor de latência OCP, log C3h) e ops com pelo
    menos o mesmo tempo de serviço pela contagem do Dyno, na janela e em todas as repetições. O drive
    conta os comandos de todos os usuários e namespaces.
column-slow-by-drive = contagem do drive
column-slow-by-dyno = contagem do Dyno
column-outliers = valores extremos
column-from-latency = a mais rápida
column-mostly-unknown = motivo principal do desconhecido
cause-drive = drive
cause-host = host
cause-unknown = desconhecido
reason-at-drive = o worker não esperou por mais nada
reason-waited = o worker esperou por um processador
reason-stopped = o Dyno esteve parado
reason-behind = na fila atrás de outra requisição
reason-not-at-device = não havia requisição no dispositivo
reason-other-drives = outros drives pararam ao mesmo tempo
reason-not-direct = sem I/O direto
reason-both = host e drive podem ter contribuído
reason-not-watched = não observado
beside-waited = pelo menos { $time } sem processador
beside-switches = { $count ->
        [one] { $count } troca de contexto
       *[other] { $count } trocas de contexto
    }
beside-steal = até { $time } de tempo de steal
beside-stalled = { $time } sem conclusão pelo dispositivo
beside-idle = { $time } sem requisição no dispositivo
beside-throttled = limitação térmica
beside-health-read = leitura do log de saúde
beside-interrupts = { $rate } interrupções
beside-processor = processador mais ocupado { $busy }

## Multiples of a load
multiple-found = { $subject } sustenta { $multiple } a carga [{ $low } a { $high }], { $repeats ->
        [one] em uma busca
       *[other] em { $repeats } buscas
    }.
multiple-at-least =
    { $subject } sustenta pelo menos { $multiple } a carga: nenhum múltiplo testado falhou.
multiple-holds =
    Um múltiplo é sustentado quando no máximo { $share } das requisições de { $stream } levam mais que
    { $limit } e a carga não se atrasa em relação ao programado. A tabela mostra a parcela das
    requisições que levaram cada tempo ou mais.
multiple-holds-fewer = Menos de { $share } delas podem levar { $limit } ou mais.
multiple-holds-fewer-in = Em todo período de { $period }, menos de { $share } delas podem levar { $limit } ou mais; uma janela mais curta conta como um período.
multiple-how =
    O maior múltiplo que todas as etapas sustentam, abaixo do menor que alguma não sustenta: média
    geométrica das repetições. O intervalo é o das repetições (95%, a partir de três) e vai pelo menos
    do que foi sustentado ao que não foi.
column-time = tempo
column-holds = veredito
time-response = resposta
time-response-worst = resposta, pior período de { $period }
time-service = serviço
holds = sustentado
does-not-hold = não sustentado

## More columns of tables
column-subject = objeto
column-limited-by = limitado por
column-because = evidência
column-at = em
column-repeat = repetição
column-cause = causa
column-stream = fluxo
column-asked = solicitado
column-achieved = atingido
column-share = parcela
column-late = atrasadas
column-max-backlog = fila máxima
column-backlog-at-end = fila no fim
column-what = item
column-values = valores
column-class = classe
column-repeats = repetições
column-max = máx.
column-min = mín.
column-median = mediana
column-least = menor
column-most = maior
column-with = comparado com
column-difference = diferença
column-drive = drive
column-drives = drives
column-instances = instâncias
column-ops-sum = ops/s, soma
column-p99-merged = p99, combinado
column-p99-pooled = p99, combinado
column-mean-of-p99s = média dos p99
column-power-of = consumo de
column-energy = energia
column-idle = consumo ocioso
column-knee-ops = joelho, ops/s
column-knee-p99 = joelho, p99
column-load-at-equal-p99 = carga com p99 igual
column-p99-at-equal-load = p99 com carga igual, média
column-most-within = maior { $axis } com { $percentile } de { $stream } ≤ { $limit }
column-first-beyond = primeiro fora do limite
column-done = resultado
column-verdict = veredito
column-rounds = rodadas
column-window = janela
column-excursion = excursão
column-allowed = máximo permitido
column-slope = inclinação
column-transaction = transação
column-number = quantidade
column-rolled-back = revertidas
column-slowest = mais lenta
column-limit-90 = limite para 90%
column-calculation = cálculo
column-result = resultado
column-other-formula = outra fórmula

## Caveats, in their section
caveats-points = Pontos com ressalva
caveats-support-no-claim = Seus números são mostrados, mas não sustentam nenhuma afirmação.
caveats-wider = Intervalos mais largos que o pedido
caveats-failed = Pontos que falharam
caveats-failed-note = Não entram em nenhuma estimativa.
caveats-oddities = Estouros e chaves não encontradas
caveats-none =
    Nenhuma ressalva: nenhum ponto falhou, derivou ou deixou de atingir a taxa solicitada, e nenhuma
    latência estourou a faixa de medição.
caveats-asked = Solicitado e atingido
caveat-wider =
    { $place }, { $subject }: ±{ $half } após { $repeats } repetições; o pedido era ±{ $asked }
rates-kept = { $count ->
        [one] 1 fluxo de um ponto manteve a taxa dentro de 2% e emitiu menos de 1% das requisições com
            atraso.
       *[other] { $count } fluxos de pontos mantiveram a taxa dentro de 2% e emitiram menos de 1% das
            requisições com atraso.
    }
other-rates-kept = { $count ->
        [one] O outro fluxo de um ponto manteve a taxa dentro de 2% e emitiu menos de 1% das requisições
            com atraso.
       *[other] Os outros { $count } fluxos de pontos mantiveram a taxa dentro de 2% e emitiram menos de 1%
            das requisições com atraso.
    }
oddity-overflow = { $count ->
        [one] 1 latência acima de uma hora
       *[other] { $shown } latências acima de uma hora
    }
oddity-given-up = { $count ->
        [one] 1 transação ({ $share }) revertida repetidamente pelo servidor e abandonada: não conta na taxa
       *[other] { $shown } transações ({ $share }) revertidas repetidamente pelo servidor e abandonadas: não
            contam na taxa
    }
oddity-misses = { $count ->
        [one] 1 leitura ({ $share }) não encontrou a chave
       *[other] { $shown } leituras ({ $share }) não encontraram a chave
    }

## Conditions, data, disclosure
nothing-differs = Até onde se sabe, os objetos diferem apenas nos drives.
grade-disqualifying = impede a comparação
grade-confounder = possível fator de confusão
grade-harmless = sem efeito
data-how =
    Todos os fluxos e classes. Os fluxos em cinza rodaram junto com os medidos e não entram no valor
    principal. As latências são tempos de serviço, ou tempos de resposta quando havia uma taxa
    solicitada: a classe diz qual, onde há os dois. “todas” são leituras e gravações em conjunto. “≥” é um
    limite inferior: requisições previstas não tinham sido emitidas quando a carga terminou. “–”
    significa não medido: menos de 100 amostras acima desse percentil.
runs = Execuções
run = { $repeats ->
        [one] { $when }, dyno { $version }, { $repeats } repetição
       *[other] { $when }, dyno { $version }, { $repeats } repetições
    }
run-header = { $repeats ->
        [one] { $file } · { $when } · { $repeats } repetição · dyno { $version }
       *[other] { $file } · { $when } · { $repeats } repetições · dyno { $version }
    }
resolved-plan = Plano resolvido de { $file }
server-hardware = Hardware do servidor
server-software = Software do servidor
server-memory-of-step = Memória da carga, { $step }
server-memory-limit = limitada a { $size }, incluindo o cache de páginas (grupo de controle)
kernel-parameters = { $others ->
        [one] { $shown } (mais 1 parâmetro não exibido)
       *[other] { $shown } (mais { $others } parâmetros não exibidos)
    }
kernel-no-parameters = { $others ->
        [one] nenhum que se saiba relevante (1 parâmetro não exibido)
       *[other] nenhum que se saiba relevante ({ $others } parâmetros não exibidos)
    }

## What whoever publishes a brief declares
competitor = Concorrente { $letter }
declared-class = Classe e mercado: { $class }
declared-sponsor = Patrocínio: { $sponsor }
declared-notes = Notas
declared-links = Páginas dos produtos
declared-disclaimers = Avisos legais
declared-footnotes = Notas de rodapé

## Drives and instances
drives-aggregation =
    Com vários drives: as ops/s são somadas e os percentis são os dos histogramas combinados (não uma
    média de percentis); mín., mediana e máx. se referem aos drives individuais.
drives-pooled =
    Com várias instâncias: o p99 combinado é o dos histogramas combinados, de todas as transações
    juntas; ao lado está a média dos p99 de cada instância, como nas análises com várias máquinas
    virtuais. Os dois respondem a perguntas diferentes.
instance-by-instance = Por instância: { $step }

## Power
energy-how =
    O consumo é o do item da terceira coluna, conforme o seu instrumento; classes diferentes nunca são
    comparadas. A energia é a integral (regra do trapézio) das leituras, nos instantes em que foram
    feitas, sobre a janela medida deslocada pelo atraso do instrumento: o atraso, de até { $seconds } s,
    com o qual as leituras melhor acompanham as ops/s, o mesmo para todos os pontos de um instrumento.
    Não é informada quando faltam leituras em mais de 1% da janela. O consumo ocioso não é subtraído.
meter-late = { $meter }: mostra a carga com { $late } de atraso, já corrigido.
meter-unknown-delay = { $meter }: não acompanha a carga o bastante para determinar o atraso.
meter-delay-open =
    { $meter }, { $step } { $at }: com o atraso do medidor, que não é conhecido com mais exatidão, o consumo médio pode
    diferir em ±{ $open }: sem energia e sem trabalho por watt.
meter-too-little =
    { $meter }, { $step } { $at }: as leituras cobrem { $covered } da janela, pouco para calcular a
    energia.
power-meters = Medidores de consumo

## Load at equal latency, and at a limit
equal-load-how =
    O joelho é o ponto medido que fica mais abaixo da reta entre as pontas da curva, com ambos os eixos
    na mesma escala; nenhum onde ela cede menos de um décimo. Cargas com p99 igual (o do joelho do
    primeiro objeto) e p99 com carga igual (sobre as cargas que todas as curvas têm em comum) são lidas
    nas retas entre pontos medidos, repetição por repetição, e comparadas com o objeto do relatório
    como qualquer outra métrica.
limit-how =
    Dos valores da varredura, foram medidos apenas os que a bissecção exigiu. Um valor está dentro do
    limite quando o percentil de todas as repetições está; valores acima de um que não está não são
    medidos. A taxas baixas, a janela dura o que o percentil exige em amostras; um valor com ops de menos
    não foi medido.
row-at-load = a { $load } ops/s
row-at-p99 = com p99 de { $latency }
row-within-limit = dentro do limite

## All claims
findings-how =
    Só se afirma uma diferença quando o intervalo simultâneo de 95% exclui “nenhuma diferença”: a
    probabilidade de que alguma afirmação deste relatório seja falsa é de no máximo 5%. Entre vários
    pontos que mostram o mesmo, cita-se o de maior limite inferior. Os números são arredondados no
    sentido da afirmação mais fraca. Pontos com ressalva não sustentam afirmações.
caveats-noted = Ressalvas: { $count }, listadas na seção “Ressalvas”.
claims-for = Vantagens de { $subject }
claims-none = Nenhuma.
claims-weaker = { $count ->
        [one] Mais uma, menor, está nas tabelas das etapas.
       *[other] Outras { $count }, menores, estão nas tabelas das etapas.
    }
claim-with-basis = { $claim } ({ $basis }).
caveats-of-claims =
    Ressalvas (estes pontos não sustentam afirmações, ou sustentam apenas um limite inferior)

## Preparation
not-steady-warning =
    { $drive } não chegou ao estado estável em { $rounds ->
        [one] { $rounds } rodada
       *[other] { $rounds } rodadas
    }. Os pontos foram medidos mesmo assim e podem refletir mais o estado em que o pré-condicionamento parou do que o
    drive.
steady = estável
not-steady = NÃO estável
too-few-rounds = NÃO estável: rodadas insuficientes para avaliar { $metric }
steady-after =
    estável após { $rounds } rodadas, por { $metric }: excursão { $excursion }, inclinação { $slope }
not-steady-within =
    NÃO estável em { $rounds ->
        [one] { $rounds } rodada
       *[other] { $rounds } rodadas
    }, por { $metric }: excursão { $excursion }, inclinação { $slope }

## Results
differences-as-published =
    Diferenças: valores publicados, sem repetições; o objeto superior e de quanto é a diferença. É
    aritmética, sem valor estatístico.
swept-along = varredura de { $axis }
open-loop = malha aberta
closed-loop = malha fechada
window-too-short = janela de { $window } por ponto, curta demais para detectar deriva
percentiles-response = os percentis são do tempo de resposta de { $class }
maximum-is-service = no máximo, tempos de serviço
percentiles-service = os percentis são do tempo de serviço de { $class }
summed-over-drives = ops/s somadas e histogramas combinados entre os drives
summed-over-instances = ops/s somadas e histogramas combinados entre as instâncias
summed-over-drives-and-instances = ops/s somadas e histogramas combinados entre drives e instâncias

## The scoreboard and the conclusion
result-even = empate
result-even-by = empate, { $difference }
result-not-shown = diferença não demonstrada
result-not-one-best = sem um único melhor
best-in-higher = { $subject } tem o maior valor de { $what } em { $count } de { $of } etapas
best-in-lower = { $subject } tem o menor valor de { $what } em { $count } de { $of } etapas
best-in-also = { $subject } em { $count }
best-in-also-at = { $subject } em { $count }
best-in-even = { $count ->
        [one] 1 é empate
       *[other] { $count } são empates
    }
best-in-open = { $count ->
        [one] 1 não demonstra diferença
       *[other] { $count } não demonstram diferença
    }
best-higher = { $subject } tem o { $of ->
        [2] maior
       *[other] mais alto
    } valor de { $what }{ $at }{ $until }
best-lower = { $subject } tem o { $of ->
        [2] menor
       *[other] mais baixo
    } valor de { $what }{ $at }{ $until }
even-in = a diferença em { $what } não passa de 5%
open-in = nenhuma diferença em { $what } foi demonstrada
at-some = {" "}em { $count } de { $of } pontos
range-up-to = {" "}até { $to }
range-from-on = { $subject } a partir de { $from }
range-between = { $subject } de { $from } a { $to }
range-at = { $subject } em { $at }
limit-published =
    Os valores são medições únicas, como publicadas: qualquer diferença pode ser acaso.
limit-separate-runs =
    Os drives não foram medidos alternadamente: estes são os valores medidos, sem afirmações.
limit-specimens = Foi medido um drive de cada: outros do mesmo modelo podem diferir.
amount-one-thread = 1 thread
amount-threads = { $value } threads
amount-depth = profundidade { $value }
amount-ops = { $value } ops/s
amount-load = { $value } de carga
amount-maximum-load = carga máxima
amount-one-instance = 1 instância
amount-instances = { $value } instâncias
amount-rates = { $value } × as taxas
as-measured = Como medido, sem alternância: { $sentence }.
rises-between = A { $what } do { $subject } sobe de { $low } para { $high } entre { $from } e { $to }
lead-grows = A vantagem do { $subject } sobre o { $rival } em { $what } cresce de { $low } a { $high }
lead-shrinks = A vantagem do { $subject } sobre o { $rival } em { $what } diminui de { $low } a { $high }
no-rank = Nenhum drive pode ser classificado aqui.
no-rank-main = Nenhum drive pode ser classificado. { $cause }
barred-by = { $other } e { $first } não são comparáveis: diferem em { $names }.
figure-gap = não medido
appendices-on-request =
    Todos os pontos e diferenças: `dyno export --table points` e `--table comparisons` os gravam em CSV; um
    brief.toml com `sections` os inclui no relatório.
title-of-tests = { $subjects }: frente a frente
of-many-steps = Em { $count } etapas, { $sentence }
section-counts = Comparações por resultado

## Summary
summary-how =
    ▲ superior a todos os outros objetos, com significância. † não limitado pelo drive. Diferença: o
    objeto superior, de quanto é a diferença e seu intervalo.
summary-how-published =
    Valores publicados, sem repetições: nada se afirma e nenhum objeto é marcado como o melhor.
mean-of-equal-loads = , média de cargas iguais
mean-of-points = {", "}média de { $count } pontos
at-equal-latency = {" "}a latência igual
within-the-limit = {" "}dentro do limite

## TPC-C
tpcc-limits =
    Limites: 90% de cada tipo de transação devem ser respondidos nesse tempo (cláusula 5.2.5.3), e 90%
    das Deliveries adiadas devem ser executadas em até 80 s após entrar na fila (cláusula 2.7.2.2).
    Quando há tempos de digitação e de reflexão, os tempos são de resposta, contados a partir do envio
    pelo terminal; um limite é cumprido quando o p90 ou a transação mais lenta está dentro dele.
    Parcelas mínimas (cláusula 5.2.3): Payment 43%, Order-Status, Delivery e Stock-Level 4% cada.
tpcc-deviations =
    New-Orders por minuto não são tpmC: este resultado não foi auditado e não é comparável com os
    publicados. Desvios da especificação: não há chaves estrangeiras; as transações rodam no nível de
    isolamento padrão do servidor (MariaDB e MySQL: repeatable read, PostgreSQL e SQL Server: read
    committed), com as linhas bloqueadas antes de serem gravadas; uma Delivery adiada espera pela
    conexão do seu terminal e é registrada nas latências, não em um arquivo de resultados; as entradas
    são geradas pelo driver, sem telas; checkpoints, durabilidade e armazenamento de 180 dias não são
    testados; sem tempos de digitação e de reflexão (no-wait), um terminal é sorteado a cada transação.
    New-Orders revertidas não contam nas New-Orders por minuto.
subject-times = { $subject } ({ $count } vezes)
tpcc-conditions-kept =
    { $step }: todas as doze condições da cláusula 3.3.2 foram cumpridas em { $subjects };
    a verificação mais longa levou { $time }.
new-orders = { $rate } New-Orders por minuto
kept-by-all = cumprido por todas
kept = cumprido
p90-above = p90 acima do limite
committed = , confirmadas.
committed-by-terminals = , confirmadas, à taxa que os tempos de digitação e de reflexão dos terminais definem em qualquer drive.

## Method
procedure = Procedimento
procedure-of = { $title } ({ $protocol }). Fonte do procedimento: { $source }
step-named = Etapa { $step }
step-windows = { $warmup } de aquecimento, não contado, e { $window } de medição.
service-time = Tempo de serviço
response-time-term = Tempo de resposta
percentiles = Percentis
several-drives = Vários drives ou instâncias
method-ops =
    Ops concluídas dentro da janela medida divididas pela duração da janela, somadas entre os drives e
    instâncias do objeto e entre os fluxos que entram no valor principal.
method-mb =
    Bytes transferidos por essas ops, em unidades de 1.000.000 de bytes, divididos pela duração da
    janela.
method-service-time =
    Da entrega da requisição ao mecanismo até a sua conclusão, por um único relógio monotônico.
method-response-time =
    Quando há uma taxa solicitada: do instante em que a requisição deveria ser emitida até a sua
    conclusão, de modo que a espera atrás de uma requisição lenta é contada. Uma requisição atrasada
    conta como atrasada e nunca é descartada.
method-percentiles =
    De histogramas com erro relativo de no máximo 0,1%, combinados entre workers, drives e instâncias,
    nunca entre classes. É a latência que a parcela indicada das ops não excedeu. Mostrada somente
    quando há pelo menos { $samples } amostras acima dela.
method-several-drives =
    Ops e bytes são somados. Os percentis são os dos histogramas combinados, nunca uma média de
    percentis. Com várias repetições, mostra-se a média geométrica dos valores de cada uma.
interval = Intervalo (±)
gain = Ganho
reduction = Redução
comparison = Comparação
one-family = Comparações múltiplas
lower-bound = Limite inferior (≥)
rounding = Arredondamento
self-test = Autoteste
difference = Diferença
method-interval =
    Metade da largura do intervalo de confiança de 95% de um nível: t de Student sobre os logaritmos de
    três ou mais repetições. Com uma ou duas repetições não há intervalo, apenas o menor e o maior
    valor.
method-gain =
    Superior ÷ inferior − 1. Usado quando maior é melhor: 1,5 vez o valor é um ganho de 50%.
    Acima de 10 ×, o próprio fator: superior ÷ inferior.
method-reduction =
    1 − novo ÷ antigo. Usado para latências: metade do tempo é uma redução de 50%.
method-comparison =
    A razão das médias geométricas das repetições, de um modelo de logaritmos com a repetição como bloco
    e a posição na ordem de medição como fator. As variâncias dos pontos são moderadas (Smyth 2004).
method-one-family =
    Todas as comparações deste relatório (etapas, objetos, métricas e pontos) compartilham uma única
    probabilidade de 5% de que algum intervalo não contenha o valor verdadeiro: 4% para pontos
    individuais, 1% para médias de etapa (Bonferroni). A decisão e o intervalo vêm do mesmo
    procedimento.
method-lower-bound =
    O objeto superior não foi limitado pelo seu drive, e o outro foi: a diferença é de pelo menos o
    extremo inferior do intervalo.
method-rounding =
    No sentido da afirmação mais fraca, até dois dígitos da meia largura do intervalo; os extremos dos
    intervalos são arredondados para fora.
method-caveats =
    Não sustentam nenhuma afirmação os pontos que falharam em alguma repetição, ficaram 2% ou mais
    abaixo da taxa solicitada, emitiram com atraso 1% ou mais das requisições em malha aberta, estão em
    um drive que deveria ter chegado ao estado estável e não chegou, ou derivaram em alguma repetição
    (veja docs/claims.md).

## Imported figures, in tables
published-how =
    Valores publicados, sem repetições: diferenças calculadas a partir deles. A dispersão é desconhecida,
    portanto nada se afirma.
published-row =
    { $step }, { $figure } em { $at }, { $subject } com { $rival }: { $calculation } = { $result }
    ({ $other })
formula-gain = ganho
formula-reduction = redução
formula-factor = fator

## Specification
specification = Especificação
stated-not-measured = Conforme os fabricantes ou as fontes indicadas; nada nesta tabela foi medido.
for-the-money = Relação entre desempenho e preço
for-the-money-how =
    A métrica principal de cada etapa dividida pelo preço acima. Preços não são medidos e mudam de um
    dia para o outro; nenhuma diferença entre estes quocientes é afirmada. Valores que o drive não
    limitou ficam de fora.
price-of = { $subject }: preço de { $date }, fonte: { $source }
spec-capacity = capacidade
spec-form-factor = formato
spec-interface = interface
spec-endurance = resistência
spec-warranty = garantia
spec-price = preço
verdict = Veredito

## The byline
measured-with = { $when } · medido com Dyno { $version }
imported-into = { $when } · importado no Dyno { $version }
own-protocol = { $measured } · procedimento do próprio Dyno
after-source = { $measured } · fonte do procedimento: { $source }
figures-after-source = { $measured } · fonte dos valores: { $source }
control-run = { $title } (medição de controle: os objetos compartilham um dispositivo)

## Screens
streams-in-brackets = (entre parênteses: fluxos que não entram no valor principal)
limited-by = { $place }: { $limit }; { $evidence }
stream-reached-and-late =
    { $place }: fluxo { $stream }: atingiu { $reached } da taxa solicitada; { $late } das requisições
    foram emitidas com atraso; fila máxima { $backlog }
stream-late =
    { $place }: fluxo { $stream }: { $late } das requisições foram emitidas com atraso; fila máxima
    { $backlog }
failed-point = { $subject }, { $step } { $at } repetição { $repeat }: { $cause }
failed-points = Pontos que falharam ({ $count }), fora de qualquer estimativa
axis-rates = múltiplo das taxas
at-rates = {" "}no múltiplo { $values } das taxas
at-every-multiple = {" "}em qualquer múltiplo das taxas ({ $low } a { $high })
axis-scale = múltiplo do ritmo registrado
axis-knob = parâmetro da carga de trabalho
axis-trace-device = dispositivo do trace
axis-trace-start = início da janela do trace
axis-trace-remap = remapeamento de endereços
axis-trace-pace = ritmo da reprodução
axis-search-list = lista de busca
axis-beam = largura do feixe
at-knob = {" "}com { $axis } { $values }
at-scale = {" "}a { $values } do ritmo registrado
at-every-scale = {" "}em qualquer múltiplo do ritmo registrado ({ $low } a { $high })

## Pages
page-skip = Ir para o conteúdo
page-sections = Seções
page-footer =
    Gerado pelo Dyno { $version } a partir de histogramas e intervalos brutos. Todos os números podem
    ser recalculados a partir do bundle.
page-of = { $page } de { $pages }
rows-elsewhere = { $rows } linhas, disponíveis nas versões HTML e Markdown e em `dyno export`.
lines-elsewhere =
    { $title }: { $lines } linhas, disponíveis nas versões HTML e Markdown e no bundle.

## Bottlenecks, their evidence, and what to change (crates/report/src/brief/text)
verdict-clauses = { $first }; { $second }
verdict-processors-busy = processadores { $busy } ocupados
verdict-processors-others = processadores { $busy } ocupados, { $others } com outros processos
verdict-few-at-device = apenas { $share } das requisições da carga estavam no dispositivo
verdict-hypervisor = o hipervisor cedeu { $stolen } a outras máquinas
remedy-own-machine = use uma máquina dedicada ou processadores virtuais não compartilhados
remedy-end-others = encerre os outros processos deste host e meça de novo
verdict-stood-still = o próprio Dyno ficou parado por { $still } de { $window }
remedy-stood-still =
    meça de novo sem interrupções do Dyno: sem suspensão, sem depurador, sem máquina virtual com recursos
    sobrealocados
verdict-tmpfs = o diretório do objeto está na memória (tmpfs), não em um drive
remedy-tmpfs = indique um diretório no sistema de arquivos do drive ou o próprio dispositivo
verdict-no-data = o mecanismo não guarda dados: nenhuma requisição chega a um drive
remedy-no-data = use um mecanismo que armazene dados
verdict-from-memory = pelo menos { $share } das leituras foram atendidas pela memória
verdict-left-in-memory = { $share } dos bytes gravados não haviam chegado ao dispositivo no final
remedy-longer-window =
    use aquecimento e janela mais longos, para que a memória esteja cheia antes do início da janela
remedy-direct-or-longer-window =
    use `direct = true`, ou aquecimento e janela mais longos, para que a memória esteja cheia antes do início da
    janela
remedy-dataset-beyond-memory = use um conjunto de dados maior que a memória
remedy-dataset-of = use um conjunto de dados de { $size }
remedy-direct-or = use `direct = true`, ou { $other }
remedy-smaller-cache = use um cache menor no mecanismo ou um conjunto de dados maior
remedy-without-holes =
    um conjunto de dados sem lacunas (use `fill`): blocos nunca gravados ou descartados não são lidos
    do dispositivo
remedy-dataset-fits =
    o conjunto de dados, { $dataset }, cabe em { $memory } de memória: { $how }
verdict-group-reads =
    limitado pelo grupo de controle ({ $group }) a { $limit } IOPS de leitura, dos quais { $share }
    foram atingidos
verdict-group-writes =
    limitado pelo grupo de controle ({ $group }) a { $limit } IOPS de gravação, dos quais { $share }
    foram atingidos
verdict-group-read =
    limitado pelo grupo de controle ({ $group }) a { $limit } de leitura, dos quais { $share } foram
    atingidos
verdict-group-written =
    limitado pelo grupo de controle ({ $group }) a { $limit } de gravação, dos quais { $share } foram
    atingidos
remedy-control-group =
    inicie o Dyno fora desse grupo de controle ou aumente o limite (`io.max`; blkio.throttle na
    versão 1)
verdict-cpu-limit =
    limitado pelo grupo de controle a { $cores } processadores, em { $share } dos seus períodos
remedy-cpu-limit =
    inicie o Dyno fora desse grupo de controle ou aumente o limite (`cpu.max`; cpu.cfs_quota_us na
    versão 1; `--cpus` de um contêiner, `limits.cpu` no Kubernetes)
verdict-neighbour =
    { $share } do tempo do dispositivo foi gasto com requisições de outros, que leram { $read } e
    gravaram { $written }
remedy-neighbour =
    encerre os outros programas que usam o drive (`iotop -o` mostra quais são) ou meça um drive que
    nenhum outro programa use
verdict-late = pelo menos { $share } das ops foram emitidas com atraso pelo próprio Dyno
verdict-late-p99 =
    pelo menos { $share } das ops foram emitidas com atraso pelo próprio Dyno, e o p99 do tempo de
    resposta é { $ratio } vezes o do tempo de serviço
remedy-late = use mais workers para a taxa, uma taxa menor ou processadores dedicados
remedy-late-on-idle-host =
    impeça que processadores ociosos entrem em suspensão profunda (`cpupower idle-set
    --disable-by-latency 0`) ou use um host que não seja uma máquina virtual
verdict-rate-reached = { $share } da taxa solicitada foi atingida
verdict-throttled = o drive entrou em limitação térmica durante { $share } da janela
verdict-thinks =
    { $share } das requisições estavam em andamento; entre elas há tempos de digitação e de reflexão
verdict-too-few-made =
    apenas { $share } das requisições permitidas estavam em andamento: o Dyno não consegue gerar mais
remedy-too-few-made = use mais threads com menos profundidade cada, ou requisições maiores
verdict-no-device = nenhum dispositivo encontrado
verdict-at-device =
    as requisições da própria carga estavam no dispositivo durante { $window } da janela, { $requests }
    do número permitido
verdict-at-device-flushing =
    as requisições da própria carga estavam no dispositivo durante { $window } da janela, em flushes
    durante { $flushing } dela, { $requests } do número permitido
verdict-processors-unknown = tempo de processador desconhecido
verdict-one-core = um só worker, com o núcleo { $busy } ocupado
verdict-computed = os workers calcularam durante { $share } do tempo
verdict-own = { $evidence }, { $own } com a própria carga
verdict-own-and-servers =
    { $evidence }, { $own } com a própria carga, { $servers } com seus servidores de banco de dados
remedy-server-processors =
    use mais processadores para o servidor, ou um conjunto de dados que não caiba no cache dele, para que
    mais requisições cheguem ao drive
remedy-processors =
    use mais processadores ou processadores mais rápidos, ou uma carga que calcule menos por byte: requisições
    maiores, sem compressão
verdict-others-waited = os outros workers esperavam por essas requisições
verdict-locks =
    os workers estiveram fora do processador durante { $off } do tempo, e alguma de suas requisições
    esteve no dispositivo durante apenas { $window }
remedy-locks = use menos threads, ou vários conjuntos de dados ao mesmo tempo (`instances`)
verdict-in-repeats = { $evidence } (em { $count } de { $repeats } repetições; { $others })
verdict-limit-in = { $limit } em { $count }
verdict-limits = { $first }, { $other }

## Differences in test conditions (crates/report/src/brief/text)
difference-fact = { $heading }: { $fact }
difference-method = versão do método de medição
plan-difference = { $field } { $first } contra { $other }
plan-differences-more = mais { $count }
plan-part = { $name } { $value }
plan-tool = medido com
plan-window = janela
plan-warm-up = aquecimento
plan-threads = threads
plan-queue-depth = profundidade de fila
plan-instances = instâncias
plan-block-size = tamanho de bloco
plan-load = carga
plan-engine = mecanismo
plan-workload = workload
plan-meters = medidores
plan-closed-loop = malha fechada
plan-share-of-maximum = { $share } do máximo
difference-drive-count = Número de drives
difference-drives = { $count ->
        [one] 1 drive
       *[other] { $count } drives
    }
server-by-number = drive { $drive }, servidor { $server }
setup-none = nenhum
setup-bytes = { $bytes } bytes
setup-bytes-per-block = { $bytes } bytes por bloco
difference-preparation = Preparação
difference-temperature = Temperatura no início, { $step }
difference-recorded-load = Carga registrada, { $step }
difference-vector-search = Resultados da busca vetorial, { $step }
difference-own-runs = Medidos em execuções separadas
difference-one-after-other = Objetos medidos um após o outro
difference-unequally = as mudanças ao longo do tempo os afetaram de forma desigual
difference-nothing-done = nada
done = { $action }
done-as-asked = { $action } { $asked }
value-of = { $value } ({ $subjects })
values-and = { $first }, { $other }
on-this-host = Neste host: { $summary }

## Axes of steps (crates/report/src/terms)

## Figures (crates/report/src/chart)
figure-nothing-measured = nada foi medido aqui
figure-seconds = segundos
figure-round = rodada
figure-share-no-longer = parcela das ops concluídas nesse tempo ou menos
figure-convergence = Convergência para o estado estável
figure-convergence-in-rounds =
    { $metric } em rodadas de { $round }; nas últimas, a reta de ajuste e a média ± { $band }
figure-drive-of = { $subject }, drive { $drive }
hover-missed-its-rate = { $point }, não atingiu sua taxa
hover-interval = { $value } (95%: { $low } a { $high })
hover-not-limited = { $bar }: não limitado pelo drive
caption-of-step = { $step }: { $caption }
sign-marked = { $mark } não limitado pelo drive
sign-outlined = contorno: não limitado pelo drive
sign-hollow = vazado: ficou mais de 2% abaixo da taxa solicitada
sign-ringed = com anel: o máximo, uma malha fechada, cuja latência é um tempo de serviço
figure-queue-depth = profundidade de fila
figure-service-time = { $figure } do tempo de serviço de { $class }
figure-response-time = { $figure } do tempo de resposta de { $class }
figure-service-time-by-percentile = tempo de serviço de { $class } por percentil{ $at }
figure-response-time-by-percentile = tempo de resposta de { $class } por percentil{ $at }
figure-against-throughput = { $what } em função da vazão, por { $axis }
figure-overload = {"; "}a sobrecarga além do eixo foi omitida: { $points }
figure-without-maximum = {"; "}o máximo, uma malha fechada, não tem lugar neste eixo
figure-at = {" "}com { $axis } { $value }
figure-throughput = vazão
figure-ops-over-time = ops/s ao longo do tempo{ $at }
figure-of-each-drive = { $figure } de cada drive{ $at }
figure-outliers = Valores extremos{ $at } ao longo da janela, por causa ({ $count })
figure-slowest-outliers = Os valores extremos mais lentos{ $at } ao longo da janela, por causa ({ $count } de { $all })
figure-drive = drive { $number }
figure-of-instances = p99 de todas as instâncias juntas e média dos p99 de cada uma{ $at }
figure-pooled = combinado
figure-mean-of-instances = média dos p99 das instâncias
figure-by-neighbour = latência por fluxo{ $at }
figure-of-neighbour = { $name }: { $figure }
figures-lead = A métrica principal de cada etapa
figures-megabytes = MB/s de cada carga no seu máximo, na mesma escala
figures-part = { $caption } ({ $number } de { $count })
verdict-near-ceiling = { $share } do que o Dyno consegue gerar aqui com este formato de carga
remedy-near-ceiling =
    use mais threads se houver processadores livres, requisições maiores ou um host mais rápido
verdict-ceiling = teto do gerador { $ops } ops/s
figure-claimed = {"; "}afirmado: { $differences }
claimed-against = { $value } contra { $other }
figure-a-minute = { $class } por minuto

section-durable = Custo da durabilidade
durable-how =
    As mesmas gravações tornadas duráveis de maneiras diferentes, por número de threads de gravação. FUA
    (force unit access) e o flush do fdatasync terminam quando os dados estão em mídia não volátil ou em
    um cache que resiste à falta de energia. A parcela se refere às ops/s das mesmas gravações não
    duráveis. Um drive cuja parcela permanece perto de 100% confirma a gravação durável a partir de um
    cache que ele declara não volátil: proteção contra perda de energia, se a declaração for verdadeira,
    o que um corte de energia pode testar e esta medição não. O que chegou ao dispositivo é a contagem do kernel. Se não
    for nada, o kernel não envia flushes nem FUA (queue/write_cache é "write through"), e nenhuma durabilidade foi pedida.
durable-not = não durável
durable-fdatasync = gravação + fdatasync
durable-commit = commit
durable-share = em relação à não durável
durable-requests = chegou ao dispositivo, por op
durable-not-tested = nada: não testado
durable-by-flush = { $flushes } flushes
durable-by-fua = 1 FUA, { $flushes } flushes
durable-commits = Commits sincronizados no log pelo mecanismo de um banco de dados
durable-figure =
    { $step }, por maneira de tornar a gravação durável e sem torná-la durável: ops/s, escala
    logarítmica

# Load from several hosts
section-hosts = Carga de vários hosts ao mesmo tempo
hosts-how =
    Os pontos destes bundles começaram no mesmo instante absoluto pelo relógio de cada host, e o relógio
    de cada host foi comparado com a mesma referência antes e depois da execução (NTP, RFC 5905 seção 8:
    o desvio é o que se soma ao relógio do host, e o valor verdadeiro está a no máximo metade do menor
    tempo de ida e volta). A janela comum é a parte da janela mais longa que as janelas de todos os
    hosts compartilham, pela referência, descontada a incerteza dos relógios. Quando ela é de 99% ou
    mais, ops/s e MB/s são somas e as latências são as dos histogramas combinados de todos os hosts;
    caso contrário, não há soma.
hosts-unchecked =
    Sem somas: o relógio de { $host } não foi comparado tanto antes quanto depois da execução.
hosts-clock =
    Sem somas: o relógio de { $host } estava a { $offset } da referência, e o limite é { $limit }. Faça todos os
    hosts seguirem um servidor de tempo e meça de novo.
hosts-missing = Sem soma de { $step }, repetição { $repeat }: { $host } não mediu até o fim.
hosts-apart =
    Sem soma de { $step }, repetição { $repeat }: as janelas dos hosts compartilham apenas { $share } da
    mais longa.
column-host = host
column-offset-before = desvio do relógio antes
column-offset-after = desvio do relógio depois
column-offset-limit = limite
column-reference = referência
column-common-window = janela comum

# Database servers
section-database-servers = Servidores de banco de dados, um a um
database-servers-how =
    As transações são as de todas as repetições. A taxa de cada servidor é a média das suas repetições,
    de modo que as taxas dos servidores somam o total. O p99 combinado é o de todas as transações, dos
    histogramas combinados dos servidores; ao lado está a média dos p99 de cada servidor, como nas
    análises com várias máquinas virtuais. O coeficiente de variação é o desvio padrão das taxas dos
    servidores dividido pela sua média. Processadores e limite de memória são os que o kernel informa; o
    limite inclui o cache de páginas.
column-servers = servidores
column-server = servidor
column-processors = processadores
column-memory-limit = limite de memória
column-transactions = transações
column-transactions-per-s = transações/s
column-transactions-per-s-sum = transações/s, soma
column-variation = coeficiente de variação
all-servers = todos os servidores
server-of-drive = { $drive }, servidor { $server }
shared-processors = { $processors } (compartilhados)
verdict-load-set = { $count ->
        [one] do único processador reservado aos workers da carga, { $busy } estava ocupado
       *[other] dos { $count } processadores reservados aos workers da carga, { $busy } estavam ocupados
    }
verdict-servers-set = { $count ->
        [one] do único processador reservado aos servidores de banco de dados, { $busy } estava ocupado
       *[other] dos { $count } processadores reservados aos servidores de banco de dados, { $busy } estavam
            ocupados
    }
remedy-load-set =
    use mais processadores para a carga (`cpus` dos seus fluxos), ou menos para os servidores

## The fleet
section-fleet = Frota
fleet-unknown-model = modelo desconhecido
fleet-drives = { $count ->
        [one] 1 drive
       *[other] { $count } drives
    }
fleet-figure = { $metric } de cada drive, por modelo e firmware; vazado: destoa do seu modelo
fleet-figure-by-host =
    { $metric } de cada drive, por modelo e firmware, uma linha para cada host; vazado: destoa do seu
    modelo
fleet-ordered =
    { $metric } dos drives de { $model } com a faixa de suas repetições; { $drive } é o mais distante da
    média
fleet-in-order = drives, do menor ao maior
fleet-how =
    Um drive é um objeto, ou um drive de um grupo; o nível de um modelo é a média geométrica dos seus
    drives, e o de um drive, a das suas repetições. A dispersão é um desvio padrão de logaritmos, por
    efeitos aleatórios de um fator: a dos drives além da das repetições, a dos hosts além da dos drives.
    Um drive destoa quando sua média difere da dos outros mais do que o acaso explica, ao nível de 5%
    para todos os drives da etapa em conjunto. Os intervalos dos modelos tratam os drives como efeito
    aleatório e valem em conjunto para todos os modelos de uma etapa.
fleet-better = por drive, { $better } é { $by } superior a { $worse }, { $drives }
fleet-open = por drive, { $first } e { $other } não se distinguem: { $by }, { $drives }
fleet-better-here =
    host a host, { $better } é { $by } melhor que { $worse }, { $drives } nos mesmos { $hosts } hosts;
    somente destes drives
fleet-open-here =
    host a host, { $first } e { $other } não se distinguem: { $by }, { $drives } nos mesmos { $hosts }
    hosts
fleet-confounded =
    { $first } e { $other } não são comparados: foram medidos em hosts diferentes ({ $hosts } e
    { $others }), cujas diferenças não se separam das deles
fleet-apart = { $drive } destoa dos outros { $others } de { $model }: { $value } contra { $usual }
fleet-apart-health = { $sentence } (seu log de saúde: { $log })
fleet-more-apart = { $count ->
        [one] mais { $count } drive de { $model } destoa
       *[other] mais { $count } drives de { $model } destoam
    }
fleet-barred = Os modelos não são comparados, pois diferem em: { $what }
fleet-lead = { $drives } de { $models ->
        [one] um modelo
       *[other] { $models } modelos
    }, { $apart ->
        [0] nenhum dos quais destoa do seu modelo
        [one] um dos quais destoa do seu modelo
       *[other] { $apart } dos quais destoam do seu modelo
    }.
fleet-runs = { $count ->
        [one] 1 bundle, iniciado de { $first } a { $last }
       *[other] { $count } bundles, iniciados de { $first } a { $last }
    }
fleet-not-shown = { $drives } drives ao todo; nenhum modelo tem drives suficientes para uma amostra.
column-model = modelo
column-firmware = firmware
column-hosts = hosts
column-apart = destoantes
column-scatter = dispersão de { $of }

## Names that bundles store: classes of op, what power is of, kinds of meters, facts
op-all = todas
op-read = leitura
op-write = gravação
op-write-fua = gravação com FUA
op-write-fdatasync = gravação + fdatasync
op-flush = flush
op-trim = trim
op-write-zeroes = gravação de zeros
op-check = verificação
op-seek = busca
op-search = busca vetorial
op-prefix = prefixo
op-update = atualização
op-insert = inserção
op-scan = varredura
op-read-modify-write = leitura-modificação-gravação
op-transaction = transação
op-new-order = New-Order
op-payment = Payment
op-order-status = Order-Status
op-delivery = Delivery
op-deferred-delivery = Delivery adiada
op-stock-level = Stock-Level
op-operation = op
op-read-or-write = leitura ou gravação
op-event = evento
op-delete = exclusão
op-merge = merge
op-sample = amostra
op-evaluated-sample = amostra de avaliação

power-class-drive = drive
power-class-slot = slot
power-class-system = sistema
power-class-cpu = CPU
power-class-dram = DRAM

meter-kind-exec = comando externo
meter-kind-csv = CSV
meter-kind-hwmon = hwmon
meter-kind-nvme = NVMe
meter-kind-rapl = RAPL
meter-kind-redfish = Redfish
meter-kind-imported = importado

tracked-iops = IOPS
tracked-throughput = vazão
tracked-mean = média
tracked-p99 = p99
tracked-waf = WAF

fact-host = Host
fact-memory = Memória
fact-kernel = Kernel
fact-drive = Drive
fact-version = Versão
fact-name = Nome
fact-vendor = Fabricante
fact-server = Servidor
fact-board = Placa-mãe
fact-operating-system = Sistema operacional
fact-virtual-machine = Máquina virtual
fact-model = Modelo
fact-sockets = Soquetes
fact-cores-a-socket = Núcleos por soquete
fact-logical-processors = Processadores lógicos
fact-governor = Governador
fact-frequency-driver = Driver de frequência
fact-highest-frequency = Frequência máxima
fact-mitigations = Mitigações
fact-numa-nodes = Nós NUMA
fact-microcode = Microcódigo
fact-energy-preference = Preferência de energia
fact-total = Total
fact-modules = Módulos
fact-transparent-huge-pages = Transparent huge pages
fact-swap = Swap
fact-release = Versão do kernel
fact-build = Compilação
fact-command-line = Linha de comando
fact-driver-nvme = Driver nvme
fact-driver-nvme-core = Driver nvme_core
fact-serial = Número de série
fact-firmware = Firmware
fact-health-log = Log de saúde
fact-capacity = Capacidade
fact-device = Dispositivo
fact-path = Caminho
fact-logical-block-size = Tamanho do bloco lógico
fact-physical-block-size = Tamanho do bloco físico
fact-metadata = Metadados
fact-filled = Ocupação
fact-filesystem = Sistema de arquivos
fact-filesystem-on = Local do sistema de arquivos
fact-mount-options = Opções de montagem
fact-link-speed = Velocidade do link
fact-link-width = Largura do link
fact-highest-link-speed = Velocidade máxima do link
fact-highest-link-width = Largura máxima do link
fact-numa-node = Nó NUMA
fact-scheduler = Escalonador
fact-queue = Fila
fact-volatile-write-cache = Cache de gravação volátil
fact-volatile-write-cache-after = Cache de gravação volátil no fim
fact-write-cache = Cache de gravação
fact-value-histogram = de 1 ns a 1 hora, erro relativo de no máximo 0,1% (HdrHistogram, 3 dígitos)
fact-value-ceiling = { $value } ops/s nesta forma de carga, com requisições que não levam tempo
fact-value-registered-small =
    registrados, em páginas de 4 KiB, pois não há página enorme livre (`sysctl vm.nr_hugepages`)
fact-value-steady =
    estado estável em { $fourth ->
        [throughput] vazão
        [mean] latência média
        [p99] p99
        [waf] WAF
       *[other] IOPS
    } após { $value } rodadas: excursão de { $second }, inclinação de { $third }
fact-value-not-steady =
    estado estável em { $fourth ->
        [throughput] vazão
        [mean] latência média
        [p99] p99
        [waf] WAF
       *[other] IOPS
    } não atingido em { $value } rodadas: excursão de { $second }, inclinação de
    { $third }
fact-value-too-few-rounds =
    NÃO estável: rodadas insuficientes para avaliar { $fourth ->
        [throughput] vazão
        [mean] latência média
        [p99] p99
        [waf] WAF
       *[other] IOPS
    }
fact-value-cache-hits = { $value } de { $second } consultas a blocos
fact-value-key-and-value = { $value } + { $second } bytes
fact-value-on = ligado
fact-value-off = desligado
fact-value-shared = { $value } e { $second }: { $third }
fact-block-cache-hits = Acertos do cache de blocos
fact-block-cache-in-use = Cache de blocos em uso
fact-compaction-read = Lido pela compactação
fact-compaction-written = Gravado pela compactação
fact-files-by-level = Arquivos por nível
fact-flushed = Descarregado
fact-found-in-a-memtable = Encontrado em uma memtable
fact-load = Carga
fact-sync = Sincronização
fact-table-files = Arquivos de tabela
fact-write-ahead-log = Log de gravação antecipada (WAL)
fact-writes-stalled = Gravações paradas
fact-key-and-value = Chave e valor
fact-fell-behind = Atraso em relação ao programado
fact-version--in-full = Versão completa
fact-settings = Configuração
fact-options = Opções
fact-block-cache = Cache de blocos
fact-clock = Relógio
fact-pacing-floor = Piso de cadência
fact-file = Arquivo
fact-size = Tamanho
fact-data = Dados
fact-ring = Anel
fact-buffers = Buffers
fact-polling = Polling
fact-keys = Chaves
fact-accelerators = Aceleradores
fact-vector-search = Busca vetorial
fact-vectors = Vetores
fact-dimensions = Dimensões
fact-queries = Consultas
fact-degree = Grau
fact-search-list-of-the-build = Lista de busca da construção
fact-compressed-vector = Vetor comprimido
fact-read-of-a-node = Leitura de um nó
fact-index = Índice
fact-meters = Medidores
fact-imported = Importado
fact-physical-devices = Dispositivos físicos
fact-shared-by-subjects = Compartilhados pelos objetos
fact-processors-of-workers = Processadores dos workers
fact-verification = Verificação
fact-servers = Servidores
fact-search = Busca
fact-latency-histogram = Histograma de latência
fact-idle-driver = Driver de ociosidade
fact-clock-source = Fonte de relógio
fact-direct-i-o = I/O direto
fact-overslept = Atraso ao acordar
fact-trace-not-read-in-time = Leitura tardia do trace
fact-recorded-load = Carga registrada
fact-trace = Trace
fact-remapped-trace = Trace remapeado
fact-generator-s-ceiling = Teto do gerador
fact-preparation = Preparação
fact-dataset = Conjunto de dados
fact-start-with-other-hosts = Início junto com outros hosts
fact-from = origem
fact-missing = não informado
fact-length-of-the-window = duração da janela

## What a run stores of preparation
action-namespaces = namespaces
action-purge = purge
action-write-cache = cache de gravação
action-filesystem = sistema de arquivos
action-fill = preenchimento de { $value }
action-condition = pré-condicionamento { $value }
action-steady-state = estado estável
outcome-filled = criado e preenchido
outcome-opened = aberto como estava
outcome-load = { $value } ops de { $second } em { $third }
outcome-slices = não feito: em um diretório há { $value } fatias iguais
outcome-not-purged = não feito: um diretório não pode sofrer purge
outcome-not-switched = não feito: o drive de um diretório não é alterado
outcome-has-filesystem = não feito: um diretório já tem o seu sistema de arquivos
outcome-filesystem = { $value } criado ({ $second }), montado com { $third }
outcome-write-cache =
    { $value ->
        [on] ligado
        [off] desligado
        [none] inexistente
       *[other] desconhecido
    } (antes: { $second ->
        [on] ligado
        [off] desligado
        [none] inexistente
       *[other] desconhecido
    }; restaurado no fim da medição)
outcome-namespaces = { $value } namespaces de { $second }, { $third } deles anexados
outcome-created = criados: { $value }
outcome-deleted = excluídos, recriados no fim sem os dados: { $value }
outcome-discarded = todos os blocos descartados (BLKDISCARD)
outcome-formatted = NVMe Format, dados do usuário apagados (--ses=1)
outcome-key-erased = NVMe Format, chave apagada (--ses=2)
outcome-sanitized = NVMe Sanitize (--sanact={ $value })

## Built-in protocols: titles, sources, titles of steps
protocol-demo = Demonstração: leituras e gravações em taxa fixa
source-of-demo = do próprio Dyno
step-of-demo-readrandom = Leituras aleatórias no RocksDB
step-of-demo-random-read-4k = Leituras aleatórias de 4 KiB
step-of-demo-paced-writes = Gravações aleatórias de 4 KiB em taxa fixa

protocol-quick = Visão rápida: RocksDB e I/O aleatório de 4K
source-of-quick = do próprio Dyno, com base em rocksdb-threads e block-basics
step-of-quick-readrandom = Leituras aleatórias no RocksDB
step-of-quick-readwhilewriting = Leituras aleatórias no RocksDB durante a gravação por uma thread
step-of-quick-readrandomwriterandom = Leituras e gravações aleatórias no RocksDB, 90 para 10
step-of-quick-random-read-4k = Leituras aleatórias de 4 KiB
step-of-quick-random-70-30-4k = 4 KiB aleatório, 70% de leitura

protocol-block-basics = Testes básicos de bloco: 4K aleatório, 128K sequencial e 70/30 por profundidade de fila
source-of-block-basics = do próprio Dyno; a gravação aleatória de 4K antes dos padrões aleatórios segue a StorageReview
step-of-block-basics-random-read-4k = Leituras aleatórias de 4 KiB
step-of-block-basics-random-write-4k = Gravações aleatórias de 4 KiB
step-of-block-basics-random-70-30-4k = 4 KiB aleatório, 70% de leitura
step-of-block-basics-sequential-read-128k = Leituras sequenciais de 128 KiB
step-of-block-basics-sequential-write-128k = Gravações sequenciais de 128 KiB

protocol-sync-writes = Gravações duráveis: FUA e flush por número de threads de gravação
source-of-sync-writes = do próprio Dyno, com base na gravação de 4 KiB + fsync usada em análises
step-of-sync-writes-plain-4k = Gravações aleatórias de 4 KiB, não duráveis
step-of-sync-writes-fua-4k = Gravações aleatórias de 4 KiB, duráveis por FUA
step-of-sync-writes-fdatasync-4k = Gravações aleatórias de 4 KiB, cada uma seguida de fdatasync
step-of-sync-writes-plain-16k = Gravações aleatórias de 16 KiB, não duráveis
step-of-sync-writes-fua-16k = Gravações aleatórias de 16 KiB, duráveis por FUA
step-of-sync-writes-fdatasync-16k = Gravações aleatórias de 16 KiB, cada uma seguida de fdatasync
step-of-sync-writes-rocksdb-sync = Sobrescritas no RocksDB, cada uma sincronizada (WriteOptions::sync)

protocol-compression = O drive comprime? Cargas iguais de dados compressíveis e não compressíveis
source-of-compression = do próprio Dyno, com base na regra do SNIA SSS PTS de usar dados aleatórios, salvo quando o padrão é o objeto do teste
step-of-compression-random-write = Gravações aleatórias de 4 KiB
step-of-compression-sequential-write = Gravações sequenciais de 128 KiB
step-of-compression-mixed = 4 KiB aleatório, 70% de leitura

protocol-powercut = Cortes de energia: gravações duráveis por FUA e por flush
source-of-powercut = do próprio Dyno, com base em Zheng et al., FAST 2013
step-of-powercut-writes = Gravações aleatórias de 4 KiB por FUA e com um flush a cada oito

protocol-mysql-oltp = MySQL OLTP, um e dois servidores por drive
source-of-mysql-oltp = StorageReview, Sysbench MySQL OLTP; instruções SQL como no sysbench 1.0.20
step-of-mysql-oltp-one-server = oltp_read_write, um servidor por drive
step-of-mysql-oltp-two-servers = oltp_read_write, dois servidores por drive

protocol-tpcc = TPC-C no MariaDB ou MySQL
source-of-tpcc = TPC-C 5.11; escala e durações da StorageReview; configuração do servidor do próprio Dyno
step-of-tpcc-check-after-load = Consistência após a carga dos dados
step-of-tpcc-tpcc = TPC-C { $value ->
        [with] com
       *[other] sem
    } tempos de digitação e de reflexão
step-of-tpcc-check-after-run = Consistência após a medição

protocol-tpcc-postgres = TPC-C no PostgreSQL
source-of-tpcc-postgres = TPC-C 5.11; escala e durações da StorageReview; configuração do servidor do próprio Dyno
step-of-tpcc-postgres-check-after-load = Consistência após a carga dos dados
step-of-tpcc-postgres-tpcc = TPC-C { $value ->
        [with] com
       *[other] sem
    } tempos de digitação e de reflexão
step-of-tpcc-postgres-check-after-run = Consistência após a medição

protocol-tpcc-sqlserver = TPC-C no SQL Server
source-of-tpcc-sqlserver = TPC-C 5.11; escala e durações da StorageReview; configuração do servidor definida pelo responsável por ele
step-of-tpcc-sqlserver-check-after-load = Consistência após a carga dos dados
step-of-tpcc-sqlserver-tpcc = TPC-C { $value ->
        [with] com
       *[other] sem
    } tempos de digitação e de reflexão
step-of-tpcc-sqlserver-check-after-run = Consistência após a medição

protocol-rocksdb-threads = RocksDB: vazão e latência por número de threads
source-of-rocksdb-threads = relatórios de RocksDB dos Micron 7450, 7500 e 7600; db_bench do RocksDB 8.1.1; lacunas preenchidas pelo Dyno
step-of-rocksdb-threads-readrandom = Leituras aleatórias
step-of-rocksdb-threads-readwhilewriting = Leituras aleatórias durante a gravação por uma thread
step-of-rocksdb-threads-readrandomwriterandom = Leituras e gravações aleatórias, 90 para 10

protocol-ycsb = Cargas padrão A a F do YCSB no RocksDB
source-of-ycsb = brianfrankcooper/YCSB, workloads/; Cooper et al., SoCC 2010; lacunas preenchidas pelo Dyno
step-of-ycsb-a = Carga A: muitas atualizações
step-of-ycsb-b = Carga B: principalmente leitura
step-of-ycsb-c = Carga C: somente leitura
step-of-ycsb-d = Carga D: leitura dos registros mais recentes
step-of-ycsb-e = Carga E: varreduras curtas
step-of-ycsb-f = Carga F: leitura, modificação e gravação
protocol-ycsb-mysql = Cargas centrais A a F do YCSB no MariaDB ou no MySQL
source-of-ycsb-mysql = brianfrankcooper/YCSB, workloads/ e jdbc/; Cooper et al., SoCC 2010; configuração do servidor do próprio Dyno
step-of-ycsb-mysql-a = Carga A: muitas atualizações
step-of-ycsb-mysql-b = Carga B: principalmente leitura
step-of-ycsb-mysql-c = Carga C: somente leitura
step-of-ycsb-mysql-d = Carga D: leitura dos registros mais recentes
step-of-ycsb-mysql-e = Carga E: varreduras curtas
step-of-ycsb-mysql-f = Carga F: leitura, modificação e gravação
protocol-ycsb-postgres = Cargas centrais A a F do YCSB no PostgreSQL
source-of-ycsb-postgres = brianfrankcooper/YCSB, workloads/ e jdbc/; Cooper et al., SoCC 2010; configuração do servidor do próprio Dyno
step-of-ycsb-postgres-a = Carga A: muitas atualizações
step-of-ycsb-postgres-b = Carga B: principalmente leitura
step-of-ycsb-postgres-c = Carga C: somente leitura
step-of-ycsb-postgres-d = Carga D: leitura dos registros mais recentes
step-of-ycsb-postgres-e = Carga E: varreduras curtas
step-of-ycsb-postgres-f = Carga F: leitura, modificação e gravação
protocol-vdbench-profiles = Perfis de bloco segundo a StorageReview, com VDI do próprio Dyno: latência em função da carga
source-of-vdbench-profiles = StorageReview, Intel P5510 vs Samsung PM9A3; proporções de SQL e Oracle do VdbenchAutomation; os seis perfis de VDI e os dois de 64K são do próprio Dyno
step-of-vdbench-profiles-random-read-4k = Leitura aleatória de 4K
step-of-vdbench-profiles-random-write-4k = Gravação aleatória de 4K
step-of-vdbench-profiles-mixed-4k = 4K aleatório, 70% de leitura
step-of-vdbench-profiles-mixed-8k = 8K aleatório, 70% de leitura
step-of-vdbench-profiles-mixed-16k = 16K aleatório, 70% de leitura
step-of-vdbench-profiles-sql = SQL
step-of-vdbench-profiles-sql-90-10 = SQL 90-10
step-of-vdbench-profiles-sql-80-20 = SQL 80-20
step-of-vdbench-profiles-oracle = Oracle
step-of-vdbench-profiles-oracle-90-10 = Oracle 90-10
step-of-vdbench-profiles-oracle-80-20 = Oracle 80-20
step-of-vdbench-profiles-vdi-fc-boot = VDI, clone completo, boot (do Dyno)
step-of-vdbench-profiles-vdi-fc-initial-login = VDI, clone completo, primeiro login (do Dyno)
step-of-vdbench-profiles-vdi-fc-monday-login = VDI, clone completo, login de segunda-feira (do Dyno)
step-of-vdbench-profiles-vdi-lc-boot = VDI, clone vinculado, boot (do Dyno)
step-of-vdbench-profiles-vdi-lc-initial-login = VDI, clone vinculado, primeiro login (do Dyno)
step-of-vdbench-profiles-vdi-lc-monday-login = VDI, clone vinculado, login de segunda-feira (do Dyno)
step-of-vdbench-profiles-sequential-read-64k = Leitura sequencial de 64K
step-of-vdbench-profiles-sequential-write-64k = Gravação sequencial de 64K

protocol-write-pressure = Pressão de gravação: latência de leitura em função da taxa de gravação
source-of-write-pressure = StorageReview, Intel P5510 vs Samsung PM9A3; tamanhos, profundidades e tempos do próprio Dyno
step-of-write-pressure-pressure = Leituras aleatórias de 4K sob gravações aleatórias de 4K

protocol-write-cost = Custo das gravações: amplificação de gravação até estabilizar
source-of-write-cost = LMCache, pull request 4016 (tamanhos de objetos, ocupação, volume); etapas de 4 KiB e RocksDB do próprio Dyno
step-of-write-cost-objects = Objetos de 1 a 32 MiB
step-of-write-cost-uniform = Sobrescritas de 4 KiB, uniformes
step-of-write-cost-zipfian = Sobrescritas de 4 KiB, zipfianas
step-of-write-cost-leveled = Sobrescritas no RocksDB, compactação em níveis
step-of-write-cost-universal = Sobrescritas no RocksDB, compactação universal
protocol-placement = Posicionamento de dados: as gravações de um cache em flash com e sem identificadores de posicionamento
source-of-placement = CacheLib em drives com FDP, arXiv 2503.11665 (objetos pequenos e grandes por identificadores próprios); tamanhos e taxas do próprio Dyno
step-of-placement-cache = Objetos pequenos ao lado de um log de objetos grandes

protocol-noisy-neighbour = Vizinho barulhento em seis namespaces
source-of-noisy-neighbour = StorageReview, Intel P5510 vs Samsung PM9A3; tamanhos, taxas e tempos do próprio Dyno
step-of-noisy-neighbour-alone = Três leitores sem gravadores
step-of-noisy-neighbour-neighbours = Três leitores ao lado de três gravadores de { $value } cada
step-of-noisy-neighbour-loud = Três leitores ao lado de três gravadores sem limite de taxa

protocol-act = Aerospike ACT: o múltiplo da carga que um drive sustenta
source-of-act = Aerospike ACT 6.4 (README.md, cfg_storage.c); tamanhos, workers e profundidades do próprio Dyno
step-of-act-certify = Em toda hora, menos de 5% das leituras pequenas acima de 1 ms, 1% acima de 8 ms, 0,1% acima de 64 ms
step-of-act-stress = O dobro da carga, sustentado até o fim
protocol-kv-cache = Cache de chaves e valores de um modelo de linguagem
source-of-kv-cache = Qin et al., Mooncake, FAST 2025; regras do MLPerf Storage v3.0, 6.3 e 6.4; lacunas preenchidas pelo Dyno
step-of-kv-cache-objects = Blocos nos instantes registrados
step-of-kv-cache-limit = Reprodução mais rápida dentro do limite do tempo de carga de um prefixo
step-of-kv-cache-files-8b = Arquivos com fdatasync, 16 workers, Llama 3.1 8B
step-of-kv-cache-memory-8b = Os mesmos arquivos atrás de { $value } blocos na memória
step-of-kv-cache-files-70b = Arquivos com fdatasync, 4 workers, Llama 3.1 70B
protocol-vector-search = Busca vetorial com DiskANN com a mesma revocação
source-of-vector-search = Subramanya et al., DiskANN, NeurIPS 2019; microsoft/DiskANN; lacunas preenchidas pelo Dyno
step-of-vector-search-recall = Listas de busca: revocação e consultas por segundo
step-of-vector-search-threads = Threads com lista de busca de 100
protocol-checkpoint = Checkpoint do Llama 3 8B com oito workers
source-of-checkpoint = MLPerf Storage, llama3_8b.yaml; lacunas preenchidas pelo Dyno
step-of-checkpoint-write = Checkpoints gravados, com fdatasync por fragmento
step-of-checkpoint-read = Checkpoints lidos de volta
protocol-training-read = Leituras de amostras de treinamento: unet3d, resnet50, retinanet e flux
source-of-training-read = MLPerf Storage v2.0, unet3d_h100.yaml e resnet50_h100.yaml; v3.0, unet3d_b200.yaml, retinanet_b200.yaml e flux_b200.yaml; lacunas preenchidas pelo Dyno
step-of-training-read-unet3d = unet3d em H100: amostras grandes
step-of-training-read-resnet50 = resnet50 em H100: amostras de 115 kB
step-of-training-read-unet3d-b200 = unet3d em B200: amostras grandes
step-of-training-read-retinanet = retinanet em B200: amostras de 323 kB
step-of-training-read-flux = flux em B200: amostras de 2,2 MB
protocol-trace-replay = Reprodução de uma carga registrada
source-of-trace-replay = do próprio Dyno; o trace é gerado pelo Dyno (docs/trace.md)
step-of-trace-replay-replay = Carga registrada, nos instantes registrados
step-of-trace-replay-asap = Carga registrada, o mais rápido possível

protocol-snia-iops = SNIA PTS IOPS: sete proporções, oito tamanhos
source-of-snia-iops = SNIA SSS PTS 2.0.2, conforme citado pelo py-sss-pts
step-of-snia-iops-mix-100-0 = Aleatório, 100% de leitura
step-of-snia-iops-mix-95-5 = Aleatório, 95% de leitura
step-of-snia-iops-mix-65-35 = Aleatório, 65% de leitura
step-of-snia-iops-mix-50-50 = Aleatório, 50% de leitura
step-of-snia-iops-mix-35-65 = Aleatório, 35% de leitura
step-of-snia-iops-mix-5-95 = Aleatório, 5% de leitura
step-of-snia-iops-mix-0-100 = Aleatório, 0% de leitura

protocol-snia-throughput = SNIA PTS, vazão: sequencial, 1024K e 128K
source-of-snia-throughput = SNIA SSS PTS 2.0, como no SSS-PTS-TEST
step-of-snia-throughput-sequential-read = Leitura sequencial
step-of-snia-throughput-sequential-write = Gravação sequencial

protocol-snia-latency = SNIA PTS, latência: uma requisição por vez
source-of-snia-latency = SNIA SSS PTS 2.0, como no SSS-PTS-TEST
step-of-snia-latency-mix-100-0 = Aleatório, 100% de leitura, uma por vez
step-of-snia-latency-mix-65-35 = Aleatório, 65% de leitura, uma por vez
step-of-snia-latency-mix-0-100 = Aleatório, 0% de leitura, uma por vez

protocol-snia-wsat = SNIA PTS, saturação de gravação: gravações aleatórias de 4K por seis horas
source-of-snia-wsat = SNIA SSS PTS 2.0, como no SSS-PTS-TEST
step-of-snia-wsat-saturation = Gravações aleatórias de 4K a partir do drive novo
step-of-snia-wsat-histogram = Gravações aleatórias de 4K, em saturação

protocol-selftest = Autoteste: um mecanismo de latência conhecida
source-of-selftest = do próprio Dyno
step-of-selftest-known = Leituras que levam 50 µs

protocol-ceiling = O teto do gerador em cada formato de carga
source-of-ceiling = do próprio Dyno
step-of-ceiling-one = Malha fechada, uma thread
step-of-ceiling-many = Malha fechada, muitas requisições em andamento
step-of-ceiling-open = Malha aberta, uma thread

## O que a fonte de valores importados não informa, e o que só a execução mostra
not-given-loop = malha fechada ou aberta
not-given-window = duração da janela medida
not-given-warmup = aquecimento
not-given-timing = se as latências são tempos de serviço ou de resposta
not-given-order = ordem das medições
not-given-repeats = número de repetições e dispersão entre elas
not-given-preparation = pré-condicionamento
not-given-host = host
not-given-drives = firmware dos drives
not-given = não informado na fonte: { $what }
date-not-given = data não informada na fonte
imported-run = { $when }, importado no dyno { $version }
imported-header = { $file } · { $when } · importado no dyno { $version }
conditions-not-given =
    Não informado na fonte, portanto não se sabe se os objetos diferem nisto: { $what }.
percentiles-of = os percentis são latências de { $class }
figure-latency = { $figure } da latência de { $class }
figure-latency-by-percentile = latência de { $class } por percentil{ $at }
imported-figures = Valores importados
method-imported =
    Os valores são os da fonte, como ela os define. O que se calcula a partir deles (ops/s por watt:
    ops/s ÷ W; J/op: W ÷ ops/s) tem tantos algarismos significativos quanto o menos exato deles; as
    porcentagens são truncadas, nunca arredondadas para cima.
energy-how-imported =
    O consumo é o que a fonte informa para cada ponto, um único valor do item indicado na terceira
    coluna. O instrumento e suas leituras não são informados na fonte, nem a energia ao longo de uma
    janela.
data-how-imported = Valores como a fonte os informa. “–” significa não informado na fonte.
caveat-few-figures = { $count ->
        [one] a fonte informa um único valor, sem repetições: a dispersão é desconhecida
       *[other] a fonte informa { $count } valores: poucos para mostrar a dispersão
    }
caveat-every-point-few-figures = { $count ->
        [one] A fonte informa um único valor para cada ponto, sem repetições: a dispersão é desconhecida
       *[other] A fonte informa { $count } valores para cada ponto: poucos para mostrar a dispersão
    }
difference-device = Dispositivo compartilhado
difference-one-device = o plano permite que os objetos compartilhem um dispositivo
difference-steady = Estado estável antes dos pontos
difference-was-steady = em estado estável
difference-was-not-steady = fora do estado estável
difference-excursion = fora do estado estável: excursão de { $excursion }
difference-not-until-steady = não preparado até o estado estável
difference-repeats = Repetições que faltam
difference-drift = Pontos com deriva
difference-bottleneck = Pontos não limitados pelo drive
difference-share = { $count } de { $all }

# Imported figures on the first page
published-lead = Conforme publicado, sem repetições: { $sentence }
published-lead-of-step = Conforme publicado, sem repetições, em { $step }: { $sentence }
published-completes = { $better } executa { $own }{ $at }, { $by } mais que o { $worse } ({ $other })
published-more = { $better } alcança { $own }{ $at }, { $by } mais que o { $worse } ({ $other })
published-lower = { $better } tem { $what } de { $own }{ $at }, { $by } menor que o { $worse } ({ $other })
published-rival-more = { $by } mais que o { $worse } ({ $other })
published-rival-lower = { $by } menor que o { $worse } ({ $other })
published-no-difference =
    Conforme publicado, sem repetições: a fonte informa valores iguais para todos os objetos.
published-not-compared =
    Nada foi comparado: não há dois objetos com valores da mesma carga.
published-more-measures = { $count ->
        [one] Mais { $count } métrica está no resumo.
       *[other] Mais { $count } métricas estão no resumo.
    }
between-clauses = {"; "}
named-value = { $name }: { $value }
figure-published = {"; "}conforme publicado: { $differences }
column-value = valor
column-in-unit = { $name }, { $unit }
unit-of-panel = {" "}({ $unit })
column-of-class = { $figure } ({ $class })

# Losses, and what could not be compared
more-losses = { $count ->
        [one] Mais { $count } afirmação é favorável a um concorrente de { $subject }; está em “Todas as afirmações”.
       *[other] Mais { $count } afirmações são favoráveis a concorrentes de { $subject }; estão em “Todas as afirmações”.
    }
not-compared-here = { $subject } não é comparado aqui.
no-rank-nothing-measured = Nenhum drive pode ser classificado aqui, porque nada foi medido.
no-rank-never-together =
    Nenhum drive pode ser classificado aqui, porque não há dois objetos medidos no mesmo ponto: use a
    mesma varredura para todos.
cause-and-remedy = { $cause }: { $remedy }
cause-failed = Falha na medição de { $subjects } ({ $why })
remedy-failed = corrija a causa e meça novamente
cause-not-steady = Estado estável não atingido por { $subjects } ({ $why })
remedy-not-steady = use um pré-condicionamento mais longo
cause-no-flush = O kernel não envia flush nem FUA a { $subjects }, cujo cache de gravação volátil está ligado: gravações duráveis não o foram
remedy-no-flush = defina “write back” em /sys/block/DEVICE/queue/write_cache, ou defina `prepare.write_cache`
cause-drifted = As ops/s de { $subjects } variaram até { $change } ao longo da janela
remedy-drifted = use um pré-condicionamento ou um aquecimento mais longo
cause-missed-rate = No pior caso, apenas { $share } da taxa solicitada foi atingida por { $subjects }
remedy-missed-rate = reduza a taxa, ou use mais threads ou maior profundidade de fila
cause-stream-missed-rate =
    O fluxo { $stream }, executado junto com as leituras de { $subjects }, atingiu no pior caso apenas { $share } da
    taxa solicitada
cause-late = No pior caso, { $share } das requisições a { $subjects } foram emitidas com atraso
remedy-late-requests = use mais workers ou processadores dedicados
cause-few-repeats-all = Todos os pontos foram medidos menos de três vezes
cause-few-repeats = { $count } de { $points } pontos foram medidos menos de três vezes
remedy-few-repeats = repita-os (`--repeats 5`) antes de comparar
unsteady-excursion = excursão de { $excursion }, máximo permitido de { $allowed }
unsteady-slope = inclinação de { $slope }, máximo permitido de { $allowed }
unsteady-too-few = { $rounds ->
        [one] apenas { $rounds } rodada foi medida
       *[other] apenas { $rounds } rodadas foram medidas
    }
## What published comparisons say of a step
course =
    { $subject } vai de { $from } ops/s{ $first_at } (média { $mean }, p99 { $p99 }) a um pico de
    { $to } ops/s{ $at } (média { $mean_there }, p99 { $p99_there })
course-of-mean =
    { $subject } vai de { $from } ops/s{ $first_at } (média { $mean }) a um pico de { $to } ops/s{ $at }
    (média { $there })
course-of-p99 =
    { $subject } vai de { $from } ops/s{ $first_at } (p99 { $p99 }) a um pico de { $to } ops/s{ $at }
    (p99 { $there })
beyond-threads =
    Não foram testadas mais de { $most } threads: as ops/s de { $subjects } ainda crescem nesse ponto
beyond-depth =
    Não foram testadas profundidades de fila acima de { $most }: as ops/s de { $subjects } ainda crescem
    nesse ponto
beyond-instances =
    Não foram testadas mais de { $most } instâncias: as ops/s de { $subjects } ainda crescem nesse ponto
saturated-threads =
    A partir de { $from } threads, os processadores ficaram saturados ({ $subjects }): um drive mais
    rápido não faria diferença
saturated-from =
    A partir de { $from } ({ $axis }), os processadores ficaram saturados ({ $subjects }): um drive mais
    rápido não faria diferença
saturated-at =
    Os processadores ficaram saturados{ $at } ({ $subjects }): um drive mais rápido não faria diferença
lower-by =
    { $better } tem { $what } { $difference } menor que { $worse }{ $at } ({ $own } contra { $other })
difference-at-size = { $difference } com { $size }
grows-with-size =
    A vantagem de { $better } sobre { $worse } em { $what } aumenta com o tamanho do bloco:
    { $differences }
shrinks-with-size =
    A vantagem de { $better } sobre { $worse } em { $what } diminui com o tamanho do bloco: { $differences }
moves-from-to = { $figure } de { $low } a { $high }
drive-course = Drive { $drive } de { $subject }, de { $from } a { $to }: { $moves }
drive-level = Drive { $drive } de { $subject }: { $figures }
stream-levels = { $stream } de { $subject }{ $at }: { $figures }
total-writes =
    { $subject }: { $writes } DWPD × { $count ->
        [one] { $years } ano
       *[other] { $years } anos
    } × 365 dias × { $capacity } = { $total } gravados no total

## De onde vêm os valores importados, e o que a fonte não informa
note-in = nota em { $file }
imported-from = Importado do { $tool }
fact-measured-by = medido por
fact-others--not-by-dyno = terceiros, não pelo Dyno
fact-what-their-source-does-not-give-is-unknown = o que a fonte não informa é desconhecido
fact-latencies-but-for-the-figures-given = latências além dos valores informados
fact-intervals = valores por intervalo
fact-when-the-points-were-measured = data e hora de medição dos pontos
fact-readings-of-meters = leituras de medidores
fact-latencies-finer-than-db-bench-s-buckets--which-are-half-as-wide-as-they-are-long =
    latências mais finas que as classes do histograma do db_bench, cuja largura é de cerca de metade do
    valor
fact-the-writer-of-readwhilewriting--which-db-bench-leaves-out =
    a thread de gravação do readwhilewriting, que o db_bench omite
fact-all-percentiles-but-the-one-that---percentile-named--which-is-right-to-1-8-- =
    todos os percentis, exceto o indicado por --percentile, cujo erro é de até 1,8%
fact-when-the-run-began = data e hora de início da medição
fact-all-percentiles--vdbench-gives-means-and-maxima =
    todos os percentis: o vdbench informa médias e máximos
fact-the-length-of-the-window = a duração da janela
fact-waiting-before-an-op-was-begun--all-latencies-are-service-times =
    a espera antes do início de cada op: todas as latências são tempos de serviço
fact-the-mix-of-transactions-beside-tpm = a composição das transações além do TPM
fact-when-an-op-was-due--all-latencies-are-service-times =
    instante previsto de cada op: todas as latências são tempos de serviço
fact-the-number-of-threads--which-db-bench-does-not-print = o número de threads, que o db_bench não imprime
fact-latencies-by-class-in-fileio--those-that-sysbench-prints-are-of-all-its-events =
    latências por classe no fileio: as que o sysbench imprime são de todos os eventos
fact-the-name-of-the-test--where-it-is-not-fileio-or-cpu = o nome do teste, quando não é fileio nem cpu
fact-latencies--unless-the-run-has-a-time-profile = latências, a menos que haja um perfil de tempos
fact-latencies-by-kind-of-transaction = latências por tipo de transação
fact-whether-latencies-are-service-or-response-times = se as latências são tempos de serviço ou de resposta
fact-latencies--unless-diskspd-was-run-with--l = latências, a menos que o DiskSpd tenha sido executado com -L
fact-percentiles = percentis
fact-the-options-of-the-load = as opções da carga
fact-threads-and-depth = threads e profundidade
fact-what-other-logs-of-the-same-run-have = o que está em outros logs da mesma execução
fact-threads-and-warehouses--which-go-tpc-does-not-print = threads e warehouses, que o go-tpc não imprime
fact-percentiles-over-the-whole-run--iob-prints-those-of-each-interval =
    percentis da execução inteira: o iob imprime os de cada intervalo
fact-readings-of-meters--but-for-the-drive-s-own-counters =
    leituras de medidores, exceto os contadores do próprio drive
fact-latencies = latências
fact-the-model-and-its-settings--which-are-in-other-files-of-the-run =
    o modelo e suas configurações, que estão em outros arquivos da execução
fact-percentiles--which-pgbench-does-not-print = percentis, que o pgbench não imprime
fact-percentiles-but-those-that-it-printed = percentis além dos impressos
fact-settings-of-the-workload-s-file--unless-go-ycsb-printed-them =
    configurações do arquivo de carga, a menos que o go-ycsb as tenha impresso
fact-fio-version = versão do fio
fact-sysbench-version = versão do sysbench

## Quanto custa uma gravação
layer-application = aplicação
layer-wal = log de gravação antecipada
layer-flush = flush
layer-compaction = compactação
layer-pages = páginas
layer-doublewrite = buffer de doublewrite
layer-filesystem = sistema de arquivos e resto
layer-host = host
layer-media = mídia
column-host-by-kernel = host, pelo kernel
column-host-by-drive = host, pelo drive
column-counted-seconds = contado, s
figure-waterfall = amplificação de gravação por camada{ $at }
figure-waterfall-unit-host = bytes por byte gravado pelo host
figure-waterfall-unit = bytes por byte da aplicação
figure-waf-over-time = amplificação de gravação ao longo do tempo{ $at }
column-engine-wrote = mecanismo
column-of-capacity = capacidade gravada
column-counted-by = contadores
column-written-mb = MB/s gravados
column-load-dwpd = DWPD nesta carga
column-rated-dwpd = DWPD nominal
column-rated-writes = gravações nominais
column-years = anos nesta carga
column-joules-per-tb = J/TB
column-price-per-iops = preço por 1.000 ops/s
column-price-per-tb-written = preço por TB de gravações nominais
counter-fdp = estatísticas de FDP
counter-ocp = log OCP e log de saúde
counter-instrument = instrumento
counter-vendor = log do fabricante
counter-group = log do grupo de resistência
times = { $factor } ×
not-measured = não medido
not-measured-because = { $place }: amplificação de gravação não medida: { $why }
waf-not-read = os contadores do drive não foram lidos antes e depois da carga
waf-no-media-count = nenhum log do drive que o Dyno conhece conta o que ele grava na mídia
waf-not-on-every-drive = só alguns dos drives do objeto têm um log que conta o que gravam na mídia
waf-fell = um contador diminuiu durante a carga
waf-stood-still = um contador parou enquanto o outro contava
waf-no-capacity = a capacidade do drive é desconhecida; informe-a em [drive.NAME]
waf-too-little = a carga gravou { $fills } × a capacidade; o mínimo é { $least } ×
waf-too-coarse = as unidades, atualizações e leituras dos contadores deixam uma incerteza de ±{ $open }
write-cost-how =
    Os contadores são comparados do início da janela ao fim do resfriamento, os dois de um drive no mesmo
    intervalo; os segundos contados são os da carga nele. A amplificação de gravação é mostrada se a carga, com o
    aquecimento, gravou pelo menos { $fills } × a capacidade e as unidades, atualizações e leituras dos contadores
    deixam uma incerteza de no máximo ±{ $coarsest }; o intervalo as inclui. Valores com * vêm de folhas de dados ou
    listas de preços e não são medidos.
formulas = Fórmulas
formula-waf = WAF = aumento dos bytes gravados na mídia ÷ aumento dos bytes recebidos do host
formula-waterfall =
    Sistema de arquivos e resto = bytes que o kernel entregou aos dispositivos − bytes que o mecanismo gravou em
    arquivos (ou a aplicação, se o mecanismo não conta). Um valor negativo mostra dados
    que ficaram na memória, ou um log apagado antes de o kernel gravá-lo.
formula-dwpd = DWPD nesta carga = bytes gravados em um drive por segundo × 86.400 s ÷ capacidade
formula-years =
    Anos nesta carga = gravações nominais ÷ (bytes gravados em um drive por segundo × 86.400 s × 365).
    Gravações nominais = DWPD nominal × capacidade × 365 × anos de garantia, ou o total que o fabricante informa.
    A carga é considerada sem pausa.
formula-joules-per-tb = J/TB = consumo médio ÷ bytes lidos e gravados pela carga por segundo × 10¹²
formula-price =
    Preço por 1.000 ops/s = preço dos drives ÷ ops/s × 1.000. Preço por TB de gravações nominais = preço de um
    drive ÷ gravações nominais em TB.
data-sheet-of = { $subject }: valores de folha de dados de { $source }

## Key-value caches
kv-cache-how =
    Um prefixo está carregado quando o último de seus blocos em cache é lido; o tempo conta da requisição ao
    modelo e inclui a espera. Blocos que não estão no cache são gravados. A taxa de acertos é a da janela
    medida. A energia é a do primeiro medidor.
    Prefixos são lidos até o primeiro bloco ausente; depois dele, todos os blocos são calculados de novo. Vale
    carregar um prefixo se isso leva menos tempo que recalculá-lo na taxa do modelo.
kv-cache-smaller =
    Blocos menores que os do modelo: { $steps }. Os tokens são aqueles cujas chaves e valores cabem nos bytes
    desses blocos, e nada dizem sobre o modelo.
kv-cache-caches = Caches e registros
kv-cache-prefix-mean = prefixo, média
kv-cache-prefix-p95 = prefixo, p95
kv-cache-prefix-p99 = prefixo, p99
kv-cache-prefix-tokens = tokens de um prefixo, média
kv-cache-recomputed = recalculado em
kv-cache-block-p95 = leitura de bloco, p95
kv-cache-write-p95 = gravação, p95
kv-cache-hit-rate = taxa de acertos
kv-cache-tokens = tokens em cache/s
kv-cache-read-mb = leituras, MB/s
kv-cache-joules = energia por milhão de tokens em cache
kv-cache-model = modelo de linguagem
kv-cache-eviction = política de remoção
kv-cache-touch = acessado primeiro
kv-cache-spread = distribuição dos instantes
kv-cache-block = bloco
kv-cache-block-tokens = tokens por bloco
kv-cache-blocks = capacidade, blocos
kv-cache-requests = requisições
kv-cache-hits = acertos
kv-cache-behind = após um bloco ausente
kv-cache-misses = faltas
kv-cache-evictions = remoções
kv-cache-memory = na memória, blocos
kv-cache-memory-hits = acertos na memória

## Reads of training samples
training-how =
    A utilização de um acelerador (AU) é seu tempo de cálculo dividido pelo tempo total. O MLPerf Storage exige
    90% em unet3d e resnet50; linhas com menos são marcadas. Um acelerador que espera por amostras mostra o
    drive, o host ou o número de leitores: os gargalos dizem qual.
training-kept = { $subject } mantém { $count } aceleradores com utilização de 90% ou mais: { $step }.
training-none-kept = { $subject } não mantém nenhum dos números medidos de aceleradores com utilização de 90%: { $step }.
training-accelerators = aceleradores
training-utilisation = utilização (AU)
training-interval = intervalo de 95%
training-samples = amostras/s
training-read-mb = MB/s

## Vector search
vector-search-how =
    Cada consulta pede seus 10 vetores mais próximos. A revocação é a parcela dos vizinhos verdadeiros,
    encontrados comparando cada consulta com cada vetor, que está entre os resultados. A revocação e as I/Os por
    consulta são médias de todas as consultas do conjunto de dados e, portanto, iguais para todos os objetos;
    objetos com resultados diferentes não são comparados. Uma I/O é uma leitura de um nó do grafo.
vector-search-list = lista de busca
vector-search-recall = revocação@10
vector-search-ios = I/Os por consulta
vector-search-io-size = tamanho de uma I/O
vector-search-qps = consultas/s
vector-search-mean = média
vector-search-p99 = p99

## Reprodução de cargas registradas
figure-response-over-time = Chegadas do trace e tempo médio de resposta ao longo do tempo
figure-response-over-time-bursts =
    Chegadas do trace e tempo médio de resposta ao longo do tempo; sombreadas: rajadas, com mais de 1,5 vez a
    mediana das chegadas
figure-arrivals-a-second = chegadas/s
figure-mean-response = tempo médio de resposta, { $unit }
column-arrivals = chegadas
replay-how =
    Cada requisição deve ser emitida no instante registrado. O tempo de resposta conta a partir dele; uma requisição
    emitida mais de 100 µs depois está atrasada; uma requisição que deveria ter sido emitida e não foi fica na fila.
replay-response-median = tempo de resposta, mediana
replay-response-p99 = tempo de resposta, p99
replay-requests = Requisições do trace e requisições reproduzidas
replay-requests-of-trace = requisições do trace
replay-reads-of-trace = leituras, trace
replay-reads = leituras, reproduzidas
replay-size-of-trace = tamanho médio, trace
replay-size = tamanho médio, reproduzido
replay-remapped = Endereços remapeados
replay-remapped-how =
    O trace endereça mais do que a área testada tem. A distância de reuso é a quantidade de outros dados acessados
    entre dois acessos aos mesmos 4 KiB: o tamanho do cache que os conteria.
replay-model = A carga registrada e seu modelo
replay-model-how =
    O modelo é uma etapa com os fluxos que dyno trace model ajustou ao trace. Variância ÷ média refere-se às ops
    de cada segundo: 1 se chegam ao acaso a uma taxa constante, mais se chegam em rajadas.
replay-most-a-second = máximo de ops em um segundo
replay-idc = variância ÷ média, 1 s
replay-response-p999 = tempo de resposta, p99,9
figure-trace-and-model = Ops/s da carga registrada e de seu modelo ao longo do tempo
replay-remap = método
replay-addressed = endereçado pelo trace
replay-used = usado
replay-reuse-median = distância de reuso, mediana
replay-reuse-p90 = distância de reuso, p90
replay-before-after = { $before } antes, { $after } depois

## dyno bench
bench-interval = intervalo de 95 %
bench-mean = média
bench-cpu = CPU: { $busy } de { $count } processadores ocupados, { $own } por esta carga.
bench-cpu-per-op =
    CPU: { $busy } de { $count } processadores ocupados, { $own } por esta carga: { $per } por op.
bench-few-repeats = { $count ->
        [one] Sem intervalos, porque cada ponto foi medido uma vez: acrescente `--repeats 3`.
       *[other] Sem intervalos, porque cada ponto foi medido { $count } vezes: acrescente `--repeats 3`.
    }
bench-few-samples =
    Sem { $figures }: um percentil precisa de 100 ops acima dele. Meça por mais tempo (`--runtime`).
bench-more = { $count ->
        [one] E mais 1: guarde o pacote (`-o FILE`) e veja `dyno compare FILE`.
       *[other] E mais { $count }: guarde o pacote (`-o FILE`) e veja `dyno compare FILE`.
    }

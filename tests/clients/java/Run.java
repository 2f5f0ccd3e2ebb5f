import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.AnswersApi;
import org.openapitools.client.api.CollectionsApi;
import org.openapitools.client.api.GraphApi;
import org.openapitools.client.api.JobsApi;
import org.openapitools.client.api.SearchApi;
import org.openapitools.client.model.AskBody;
import org.openapitools.client.model.Collection;
import org.openapitools.client.model.Hit;
import org.openapitools.client.model.Mode;
import org.openapitools.client.model.Node;
import org.openapitools.client.model.Paper;
import org.openapitools.client.model.PaperNode;
import org.openapitools.client.model.PaperSort;
import org.openapitools.client.model.SearchBody;
import org.openapitools.client.model.SectionNode;

/**
 * Run what openapi-generator makes against a server: {@code java Run URL JOB} prints a line of JSON. JOB is the id of a
 * finished job. The client sends queries, a mutation, and a query that the server refuses.
 */
final class Run {
    public static void main(String[] args) throws Exception {
        ApiClient client = new ApiClient();
        client.updateBaseUri(args[0]);
        GraphApi graph = new GraphApi(client);
        Map<String, Object> told = new LinkedHashMap<>();
        told.put("client", "openapi-generator");
        told.put("query", new CollectionsApi(client).listCollections().getData().stream().map(Collection::getName).toList());
        Hit hit = new SearchApi(client).searchPassages(new SearchBody().query("annealing").k(1)).getHits().get(0);
        List<Node> nodes = graph.listNodes(List.of(hit.getPaper().getId(), hit.getSection().getId())).getData();
        Paper paper = ((PaperNode) nodes.get(0).getActualInstance()).getNode();
        told.put("node", graph.getNode(paper.getId()).getActualInstance().getClass().getSimpleName());
        told.put("section", ((SectionNode) nodes.get(1).getActualInstance()).getNode().getPaperId().equals(paper.getId()));
        told.put("title", paper.getTitle());
        told.put("listed", graph.listPapers(1, null, true, "main", "annealing", null, PaperSort.YEAR).getTotal());
        AskBody question = new AskBody().question("Is tabu search better than annealing?").mode(Mode.EXTRACTIVE);
        told.put("answer", new AnswersApi(client).answerQuestion(question).getKind());
        told.put("mutation", new JobsApi(client).cancelJob(args[1]).getState());
        try {
            told.put("refused", graph.getNode("0".repeat(64)));
        } catch (ApiException error) {
            told.put("refused", error.getCode() + " " + error.getResponseBody());
        }
        System.out.println(new ObjectMapper().writeValueAsString(told));
    }
}
